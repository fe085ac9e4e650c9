//! Doc comments as descriptions for a model.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment of an item as one text, or none if there is none or it is blank. Lines that were only broken to
/// fit the editor are joined; paragraphs, lists, tables and code keep their breaks.
pub(crate) fn description(attributes: &[Attribute]) -> Option<String> {
    let mut out: Vec<String> = Vec::new();
    let mut in_code = false;
    // Whether the next line may go on where the last one ended.
    let mut open = false;
    for line in attributes.iter().filter_map(doc_text).flat_map(|text| lines(&text)) {
        let trimmed = line.trim();
        let fence = trimmed.starts_with("```");
        let verbatim = fence || in_code || trimmed.is_empty();
        match out.last_mut() {
            Some(last) if open && !verbatim && !starts_block(&line) => {
                last.push(' ');
                last.push_str(trimmed);
            }
            _ => out.push(if in_code { line.trim_end().to_owned() } else { trimmed.to_owned() }),
        }
        open = !verbatim;
        in_code ^= fence;
    }
    let text = collapse(&out.join("\n"));
    (!text.is_empty()).then_some(text)
}

fn doc_text(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn lines(text: &str) -> Vec<String> {
    if text.is_empty() {
        return vec![String::new()];
    }
    text.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()).collect()
}

fn starts_block(line: &str) -> bool {
    let text = line.trim_start();
    let numbered = text.split_once(['.', ')']).is_some_and(|(number, rest)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with(' ')
    });
    numbered || ["- ", "* ", "+ ", "#", "|", ">"].iter().any(|mark| text.starts_with(mark))
}

/// At most one blank line in a row, and none at the ends.
fn collapse(text: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    for line in text.trim().lines() {
        let blank = line.trim().is_empty();
        if !(blank && out.last().is_some_and(|last| last.trim().is_empty())) {
            out.push(line);
        }
    }
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(item: &str) -> Option<String> {
        description(&syn::parse_str::<syn::ItemFn>(item).expect("a function").attrs)
    }

    #[test]
    fn broken_lines_are_joined_and_paragraphs_kept() {
        let text = of(
            "/// Finds orders\n/// of a customer.\n///\n/// Not for invoices.\n/// - one\n/// - two\nfn f() {}",
        );
        assert_eq!(text.as_deref(), Some("Finds orders of a customer.\n\nNot for invoices.\n- one\n- two"));
    }

    #[test]
    fn code_keeps_its_lines() {
        let text = of("/// Text\n/// ```\n/// a\n///   b\n/// ```\n/// after\nfn f() {}");
        assert_eq!(text.as_deref(), Some("Text\n```\na\n  b\n```\nafter"));
    }

    #[test]
    fn a_blank_comment_is_no_description() {
        assert_eq!(of("///\n///   \nfn f() {}"), None);
        assert_eq!(of("fn f() {}"), None);
    }
}
