//! Defaults of parameters: a literal that stands in the schema as it is, or an expression of the parameter's type.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, ExprUnary, Lit, Type, UnOp};

pub(super) enum Default {
    /// An expression of JSON's value type.
    Literal(TokenStream),
    /// An expression of the parameter's type.
    Expression(Expr),
}

impl Default {
    /// Reads the right side of `default = ...`. A literal of the wrong kind for a plain type is an error here,
    /// because nothing would notice it before the first call without that argument.
    pub(super) fn read(name: &str, ty: &Type, value: &Expr) -> syn::Result<Self> {
        let (negative, literal) = match value {
            Expr::Lit(ExprLit { lit, .. }) => (false, lit),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match expr.as_ref() {
                Expr::Lit(ExprLit { lit, .. }) => (true, lit),
                _ => return Ok(Self::Expression(value.clone())),
            },
            _ => return Ok(Self::Expression(value.clone())),
        };
        let plain = plain_type(ty);
        if let Some(fault) = plain.as_deref().and_then(|plain| mismatch(plain, negative, literal)) {
            return Err(syn::Error::new_spanned(value, format!("the default of `{name}` {fault}")));
        }
        match literal {
            Lit::Int(_) | Lit::Float(_) => {
                let number = number(negative, literal).ok_or_else(|| {
                    syn::Error::new_spanned(value, format!("the default of `{name}` is out of range"))
                })?;
                Ok(Self::Literal(quote!(::toolhost_sdk::Value::from(#number))))
            }
            Lit::Str(_) | Lit::Bool(_) => Ok(Self::Literal(quote!(::toolhost_sdk::Value::from(#literal)))),
            Lit::Char(each) => {
                let text = each.value().to_string();
                Ok(Self::Literal(quote!(::toolhost_sdk::Value::from(#text))))
            }
            _ => Ok(Self::Expression(value.clone())),
        }
    }
}

fn number(negative: bool, literal: &Lit) -> Option<TokenStream> {
    // The sign stands either before the literal or in it.
    let sign = if negative { "-" } else { "" };
    match literal {
        Lit::Int(int) => {
            let digits = format!("{sign}{}", int.base10_digits());
            match digits.parse::<u64>() {
                Ok(value) => Some(tokens(value)),
                Err(_) => digits.parse::<i64>().ok().map(tokens),
            }
        }
        Lit::Float(float) => {
            let value: f64 = format!("{sign}{}", float.base10_digits()).parse().ok()?;
            value.is_finite().then(|| tokens(value))
        }
        _ => None,
    }
}

fn tokens(value: impl ToTokens) -> TokenStream {
    value.into_token_stream()
}

/// The name of a type without a path, with `Option` looked through.
fn plain_type(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    match &last.arguments {
        syn::PathArguments::None => Some(last.ident.to_string()),
        syn::PathArguments::AngleBracketed(generic) if last.ident == "Option" => match generic.args.first() {
            Some(syn::GenericArgument::Type(inner)) => plain_type(inner),
            _ => None,
        },
        _ => None,
    }
}

fn mismatch(ty: &str, negative: bool, literal: &Lit) -> Option<String> {
    let fits = match (ty, literal) {
        ("f32" | "f64", Lit::Int(_) | Lit::Float(_)) | ("bool", Lit::Bool(_)) | ("String", Lit::Str(_)) => {
            true
        }
        ("char", Lit::Char(_)) => true,
        ("u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize", Lit::Int(int)) => {
            let value = int.base10_parse::<i128>().map(|value| if negative { -value } else { value });
            if value.is_ok_and(|value| in_range(ty, value)) {
                return None;
            }
            return Some(format!("does not fit into `{ty}`"));
        }
        ("f32" | "f64" | "bool" | "String" | "char", _) => false,
        ("u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize", _) => false,
        _ => true,
    };
    (!fits).then(|| format!("is not a `{ty}`"))
}

fn in_range(ty: &str, value: i128) -> bool {
    match ty {
        "u8" => u8::try_from(value).is_ok(),
        "u16" => u16::try_from(value).is_ok(),
        "u32" | "usize" => u32::try_from(value).is_ok(),
        "u64" => u64::try_from(value).is_ok(),
        "i8" => i8::try_from(value).is_ok(),
        "i16" => i16::try_from(value).is_ok(),
        "i32" | "isize" => i32::try_from(value).is_ok(),
        _ => i64::try_from(value).is_ok(),
    }
}
