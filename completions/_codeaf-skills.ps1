
Register-ArgumentCompleter -Native -CommandName codeaf-skills -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $prev = $env:CODEAF_SKILLS_COMPLETE;
    $env:CODEAF_SKILLS_COMPLETE = "powershell";

    $args = $commandAst.Extent.Text
    $args = $args.Substring(0, [math]::Min($cursorPosition, $args.Length));
    if ($wordToComplete -eq "") {
        $args += " ''";
    }

    $results = Invoke-Expression @"
& codeaf-skills -- $args
"@;
    if ($null -eq $prev) {
        Remove-Item Env:\CODEAF_SKILLS_COMPLETE;
    } else {
        $env:CODEAF_SKILLS_COMPLETE = $prev;
    }
    $results | ForEach-Object {
        $split = $_.Split("`t");
        $cmd = $split[0];

        if ($split.Length -eq 2) {
            $help = $split[1];
        }
        else {
            $help = $split[0];
        }

        [System.Management.Automation.CompletionResult]::new($cmd, $cmd, 'ParameterValue', $help)
    }
};
        
