//! The `#[serde(...)]` attributes that shape JSON. What a schema cannot follow is refused, so that a schema never
//! says something else than `serde` does.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Expr, ExprLit, Field, Lit, LitStr, Token, Variant};

use super::case::Case;
use crate::mistakes::Mistakes;

/// What `serde` is told about a struct or an enum.
#[derive(Default)]
pub(super) struct Container {
    pub(super) name: Option<String>,
    pub(super) rename_all: Option<Case>,
    pub(super) rename_all_fields: Option<Case>,
    pub(super) default: bool,
    pub(super) tag: Option<LitStr>,
    pub(super) content: Option<LitStr>,
    pub(super) untagged: bool,
}

impl Container {
    pub(super) fn read(attributes: &[Attribute], mistakes: &mut Mistakes) -> Self {
        let mut container = Self::default();
        each(attributes, mistakes, |name, meta| {
            match name {
                "rename" => container.name = Some(text(meta)?.value()),
                "rename_all" => container.rename_all = Some(case(meta)?),
                "rename_all_fields" => container.rename_all_fields = Some(case(meta)?),
                "default" => {
                    container.default = true;
                    ignore(meta)?;
                }
                "tag" => container.tag = Some(text(meta)?),
                "content" => container.content = Some(text(meta)?),
                "untagged" => container.untagged = true,
                "deny_unknown_fields" | "transparent" | "bound" | "crate" | "expecting" => ignore(meta)?,
                _ => return Err(refused(name, meta)),
            }
            Ok(())
        });
        container
    }
}

/// What `serde` is told about a field.
#[derive(Default)]
pub(super) struct FieldAttributes {
    pub(super) name: Option<String>,
    pub(super) optional: bool,
    pub(super) skip: bool,
}

impl FieldAttributes {
    pub(super) fn read(field: &Field, mistakes: &mut Mistakes) -> Self {
        let mut read = Self::default();
        each(&field.attrs, mistakes, |name, meta| {
            match name {
                "rename" => read.name = Some(text(meta)?.value()),
                "default" | "skip_serializing_if" => {
                    read.optional = true;
                    ignore(meta)?;
                }
                "skip" => read.skip = true,
                "bound" | "borrow" => ignore(meta)?,
                _ => return Err(refused(name, meta)),
            }
            Ok(())
        });
        read
    }
}

/// What `serde` is told about a variant.
#[derive(Default)]
pub(super) struct VariantAttributes {
    pub(super) name: Option<String>,
    pub(super) rename_all: Option<Case>,
    pub(super) skip: bool,
}

impl VariantAttributes {
    pub(super) fn read(variant: &Variant, mistakes: &mut Mistakes) -> Self {
        let mut read = Self::default();
        each(&variant.attrs, mistakes, |name, meta| {
            match name {
                "rename" => read.name = Some(text(meta)?.value()),
                "rename_all" => read.rename_all = Some(case(meta)?),
                "skip" => read.skip = true,
                "bound" => ignore(meta)?,
                _ => return Err(refused(name, meta)),
            }
            Ok(())
        });
        read
    }
}

fn each(
    attributes: &[Attribute],
    mistakes: &mut Mistakes,
    mut read: impl FnMut(&str, &ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        let result = attribute.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            read(&name, &meta)
        });
        if let Err(error) = result {
            mistakes.push(error);
        }
    }
}

fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    if !meta.input.peek(Token![=]) {
        return Err(meta.error("only the form `= \"...\"` has one schema for both directions"));
    }
    match meta.value()?.parse::<Expr>()? {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
        other => Err(syn::Error::new_spanned(other, "a text in quotes is expected")),
    }
}

fn case(meta: &ParseNestedMeta<'_>) -> syn::Result<Case> {
    let text = text(meta)?;
    Case::parse(&text.value()).ok_or_else(|| syn::Error::new_spanned(&text, "`serde` knows no such case"))
}

fn ignore(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<Expr>()?;
    }
    Ok(())
}

fn refused(name: &str, meta: &ParseNestedMeta<'_>) -> syn::Error {
    meta.error(format!(
        "a schema cannot follow `#[serde({name})]`: write the JSON's form as a type of its own"
    ))
}
