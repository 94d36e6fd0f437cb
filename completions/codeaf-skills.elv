
set edit:completion:arg-completer[codeaf-skills] = { |@words|
    var index = (count $words)
    set index = (- $index 1)

    put (env _CLAP_IFS="\n" _CLAP_COMPLETE_INDEX=(to-string $index) CODEAF_SKILLS_COMPLETE="elvish" codeaf-skills -- $@words) | to-lines
}

