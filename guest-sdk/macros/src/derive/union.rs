//! The schema of an enum, in the form in which `serde` writes it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{DataEnum, DeriveInput, Fields, Variant};

use super::serde::{Container, FieldAttributes, VariantAttributes};
use super::{object, value};
use crate::doc;
use crate::mistakes::Mistakes;

pub(super) fn schema(
    input: &DeriveInput,
    container: &Container,
    data: &DataEnum,
    mistakes: &mut Mistakes,
) -> TokenStream {
    let variants: Vec<Named<'_>> =
        data.variants.iter().filter_map(|variant| Named::read(variant, container, mistakes)).collect();
    if variants.is_empty() {
        mistakes.add(&input.ident, format!("`{}` has no schema: it has no variants", input.ident));
        return TokenStream::new();
    }
    if let (Some(content), None) = (&container.content, &container.tag) {
        mistakes.add(content, "`content` needs a `tag`");
    }
    let without_data = variants.iter().all(|variant| matches!(variant.fields(), Fields::Unit));
    if without_data && container.tag.is_none() && !container.untagged {
        let names = variants.iter().map(|variant| &variant.name);
        return quote!(::toolhost_sdk::__private::string_enum(&[#(#names),*]));
    }
    let choices: Vec<TokenStream> = variants
        .iter()
        .map(|variant| {
            let schema = variant.schema(container, mistakes);
            match doc::description(&variant.variant.attrs) {
                Some(text) => {
                    quote!(::toolhost_sdk::__private::described(#schema, ::core::option::Option::Some(#text)))
                }
                None => schema,
            }
        })
        .collect();
    quote!(::toolhost_sdk::__private::choices(&[#(#choices),*]))
}

struct Named<'v> {
    variant: &'v Variant,
    name: String,
    attributes: VariantAttributes,
}

impl<'v> Named<'v> {
    fn read(variant: &'v Variant, container: &Container, mistakes: &mut Mistakes) -> Option<Self> {
        let attributes = VariantAttributes::read(variant, mistakes);
        if attributes.skip {
            return None;
        }
        let plain = variant.ident.unraw().to_string();
        let name = match (&attributes.name, container.rename_all) {
            (Some(name), _) => name.clone(),
            (None, Some(case)) => case.variant(&plain),
            (None, None) => plain,
        };
        Some(Self { variant, name, attributes })
    }

    fn fields(&self) -> &'v Fields {
        &self.variant.fields
    }

    fn schema(&self, container: &Container, mistakes: &mut Mistakes) -> TokenStream {
        let name = &self.name;
        let tag = container.tag.as_ref().map(syn::LitStr::value);
        match (tag, &container.content) {
            (Some(tag), None) => self.internally_tagged(&tag, container, mistakes),
            (Some(tag), Some(content)) => {
                let body = self.body(container, mistakes).map(|body| quote!(__fields.put(#content, #body);));
                quote! {{
                    let mut __fields = ::toolhost_sdk::__private::Fields::new();
                    __fields.tag(#tag, #name);
                    #body
                    __fields.finish()
                }}
            }
            (None, _) if container.untagged => match self.body(container, mistakes) {
                Some(body) => body,
                None => {
                    mistakes.add(
                        self.variant,
                        format!(
                            "the untagged variant `{}` has no schema: it holds nothing",
                            self.variant.ident
                        ),
                    );
                    TokenStream::new()
                }
            },
            (None, _) => match self.body(container, mistakes) {
                Some(body) => quote! {{
                    let mut __fields = ::toolhost_sdk::__private::Fields::new();
                    __fields.put(#name, #body);
                    __fields.finish()
                }},
                None => quote!(::toolhost_sdk::__private::string_enum(&[#name])),
            },
        }
    }

    fn internally_tagged(&self, tag: &str, container: &Container, mistakes: &mut Mistakes) -> TokenStream {
        let name = &self.name;
        match self.fields() {
            Fields::Named(fields) => {
                let case = self.attributes.rename_all.or(container.rename_all_fields);
                object(fields, case, false, Some((tag, name)), mistakes)
            }
            Fields::Unit => quote! {{
                let mut __fields = ::toolhost_sdk::__private::Fields::new();
                __fields.tag(#tag, #name);
                __fields.finish()
            }},
            Fields::Unnamed(fields) => {
                let message = format!(
                    "the variant `{}` of a union with a `tag` needs named fields, or the union a `content`",
                    self.variant.ident
                );
                mistakes.add(fields, message);
                TokenStream::new()
            }
        }
    }

    /// The schema of what the variant holds, or none if it holds nothing.
    fn body(&self, container: &Container, mistakes: &mut Mistakes) -> Option<TokenStream> {
        match self.fields() {
            Fields::Unit => None,
            Fields::Named(fields) => {
                let case = self.attributes.rename_all.or(container.rename_all_fields);
                Some(object(fields, case, false, None, mistakes))
            }
            Fields::Unnamed(fields) => match fields.unnamed.iter().collect::<Vec<_>>().as_slice() {
                [inner] => {
                    FieldAttributes::read(inner, mistakes);
                    Some(value(inner))
                }
                _ => {
                    let message =
                        format!("the variant `{}` has no schema: name its fields", self.variant.ident);
                    mistakes.add(fields, message);
                    None
                }
            },
        }
    }
}
