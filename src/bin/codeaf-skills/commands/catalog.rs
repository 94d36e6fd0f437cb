//! `render-catalog` and `tool`: what the model is told before it asks.

use codeaf_skills::text::counted;
use codeaf_skills::{BudgetError, CatalogForm, Env};

use super::{DONE, Status, load, require_readable};
use crate::args::{CatalogFormat, RenderCatalog};
use crate::failure::Failure;
use crate::render::Console;

pub(super) fn run(
    args: &RenderCatalog,
    env: &Env,
    console: &mut Console,
) -> Result<Status, Failure> {
    let snapshot = load(env, console)?;
    require_readable(&snapshot)?;
    if console.json && matches!(args.format, Some(CatalogFormat::Text | CatalogFormat::Xml)) {
        return Err(Failure::usage("--json means --format json").help("give one of the two"));
    }
    let form = match args.format {
        None if console.json => CatalogForm::Json,
        None | Some(CatalogFormat::Text) => CatalogForm::Text,
        Some(CatalogFormat::Xml) => CatalogForm::Xml,
        Some(CatalogFormat::Json) => CatalogForm::Json,
    };
    let rendered =
        snapshot
            .catalog()
            .render(form, args.max_chars)
            .map_err(|error: BudgetError| {
                let help = format!(
                    "give it at least --max-chars {}, or turn skills off",
                    error.smallest
                );
                Failure::from_error("budget-too-small", error).help(help)
            })?;
    console.write(&rendered.text)?;
    if rendered.cut > 0 {
        console.note(format!(
            "note: {} cut at {} characters to fit the budget",
            counted(rendered.cut, "description"),
            rendered.longest
        ));
    }
    Ok(DONE)
}

pub(super) fn tool(env: &Env, console: &mut Console) -> Result<Status, Failure> {
    let snapshot = load(env, console)?;
    require_readable(&snapshot)?;
    if let Some(definition) = snapshot.tool_definition() {
        console.json(&definition)?;
    }
    Ok(DONE)
}
