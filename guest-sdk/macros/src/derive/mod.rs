//! `#[derive(ToolType)]`: from a struct or an enum to its schema.

mod case;
mod serde;
mod union;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Field, Fields, FieldsNamed, GenericParam, Generics, parse_quote};

use self::case::Case;
use self::serde::{Container, FieldAttributes};
use crate::doc;
use crate::mistakes::Mistakes;

pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let container = Container::read(&input.attrs, &mut mistakes);
    let schema = match &input.data {
        Data::Struct(data) => structure(input, &container, &data.fields, &mut mistakes),
        Data::Enum(data) => union::schema(input, &container, data, &mut mistakes),
        Data::Union(data) => {
            mistakes.add(&data.union_token, "a `union` has no schema: use an `enum`");
            TokenStream::new()
        }
    };
    if let Some(errors) = mistakes.into_compile_errors() {
        return errors;
    }
    let ident = &input.ident;
    let name = container.name.clone().unwrap_or_else(|| ident.unraw().to_string());
    let description = optional_text(doc::description(&input.attrs).as_ref());
    let generics = with_bounds(input.generics.clone());
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    quote! {
        const _: () = {
            impl #impl_generics ::toolhost_sdk::ToolType for #ident #type_generics #where_clause {
                fn schema(__schemas: &mut ::toolhost_sdk::Schemas) -> ::toolhost_sdk::Schema {
                    __schemas.named::<Self>(#name, |__schemas| {
                        ::toolhost_sdk::__private::described(#schema, #description)
                    })
                }
            }
        };
    }
}

fn structure(
    input: &DeriveInput,
    container: &Container,
    fields: &Fields,
    mistakes: &mut Mistakes,
) -> TokenStream {
    match fields {
        Fields::Named(named) => object(named, container.rename_all, container.default, None, mistakes),
        Fields::Unnamed(unnamed) => match unnamed.unnamed.iter().collect::<Vec<_>>().as_slice() {
            [inner] => {
                FieldAttributes::read(inner, mistakes);
                value(inner)
            }
            _ => {
                let message = format!("`{}` has no schema: name its fields", input.ident);
                mistakes.add(unnamed, message);
                TokenStream::new()
            }
        },
        Fields::Unit => {
            mistakes.add(&input.ident, format!("`{}` has no schema: it holds nothing", input.ident));
            TokenStream::new()
        }
    }
}

/// The schema of an object, with the field that tells a union's variants apart first.
fn object(
    fields: &FieldsNamed,
    rename_all: Option<Case>,
    all_optional: bool,
    tag: Option<(&str, &str)>,
    mistakes: &mut Mistakes,
) -> TokenStream {
    let tag = tag.map(|(tag, variant)| quote!(__fields.tag(#tag, #variant);));
    let mut added = Vec::new();
    for field in &fields.named {
        let attributes = FieldAttributes::read(field, mistakes);
        let Some(ident) = field.ident.as_ref().filter(|_| !attributes.skip) else { continue };
        let plain = ident.unraw().to_string();
        let name = attributes
            .name
            .unwrap_or_else(|| rename_all.map_or_else(|| plain.clone(), |case| case.field(&plain)));
        let ty = &field.ty;
        let description = optional_text(doc::description(&field.attrs).as_ref());
        let optional = all_optional || attributes.optional;
        added.push(quote! {
            __fields.add::<#ty>(__schemas, #name, #description, #optional, ::core::option::Option::None);
        });
    }
    quote! {{
        #[allow(unused_mut, reason = "an object may have no fields")]
        let mut __fields = ::toolhost_sdk::__private::Fields::new();
        #tag
        #(#added)*
        __fields.finish()
    }}
}

/// The schema of a field's type.
fn value(field: &Field) -> TokenStream {
    let ty = &field.ty;
    quote!(<#ty as ::toolhost_sdk::ToolType>::schema(__schemas))
}

fn with_bounds(mut generics: Generics) -> Generics {
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(parse_quote!(::toolhost_sdk::ToolType));
        }
    }
    generics
}

fn optional_text(text: Option<&String>) -> TokenStream {
    match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}
