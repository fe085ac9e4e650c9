//! A tool function's parameters: what they are called, what describes them, and which one is the context.

use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, FnArg, ItemFn, Lit, Meta, Pat, PatType, Token, Type};

use super::default::Default;
use crate::doc;
use crate::mistakes::Mistakes;

/// Names of context and policy values. The host refuses a parameter that carries one.
const RESERVED: [&str; 7] =
    ["tenant_id", "user_id", "run_id", "call_id", "idempotency_key", "requires_approval", "side_effect"];

/// All parameters in the order of the function's list.
pub(super) struct Parameters(pub(super) Vec<Parameter>);

pub(super) enum Parameter {
    /// `ctx: &Context`.
    Context,
    /// One that a model fills in.
    Argument(Box<Argument>),
}

pub(super) struct Argument {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) description: Option<String>,
    pub(super) default: Option<Default>,
}

impl Parameters {
    /// Reads the parameters, and takes away the attributes that only the macro understands.
    pub(super) fn take(function: &mut ItemFn, mistakes: &mut Mistakes) -> Self {
        let mut parameters = Vec::new();
        let mut has_context = false;
        for input in &mut function.sig.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    mistakes.add(receiver, "a tool is a free function and has no `self`")
                }
                FnArg::Typed(typed) if is_context(&typed.ty) => {
                    if has_context {
                        mistakes.add(typed, "a tool has only one context");
                    }
                    has_context = true;
                    check_context(typed, mistakes);
                    parameters.push(Parameter::Context);
                }
                FnArg::Typed(typed) => {
                    if let Some(argument) = argument(typed, mistakes) {
                        parameters.push(Parameter::Argument(Box::new(argument)));
                    }
                }
            }
        }
        Self(parameters)
    }

    pub(super) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.0.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(argument.as_ref()),
            Parameter::Context => None,
        })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.arguments().map(|argument| argument.name.as_str())
    }
}

fn argument(typed: &mut PatType, mistakes: &mut Mistakes) -> Option<Argument> {
    let description = doc::description(&typed.attrs);
    let attributes = std::mem::take(&mut typed.attrs);
    let (own, others): (Vec<_>, Vec<_>) =
        attributes.into_iter().partition(|attribute| is(attribute, "doc") || is(attribute, "arg"));
    for attribute in others.iter().filter(|attribute| is(attribute, "cfg") || is(attribute, "cfg_attr")) {
        mistakes.add(attribute, "a parameter of a tool cannot depend on `cfg`");
    }
    typed.attrs = others;

    let Pat::Ident(pattern) = typed.pat.as_ref() else {
        mistakes
            .add(&typed.pat, "a parameter of a tool is a plain name, not a pattern: a model writes its name");
        return None;
    };
    if let Some((at, _)) = &pattern.subpat {
        mistakes.add(at, "a parameter of a tool is a plain name, not a pattern: a model writes its name");
    }
    if let Some(token) = &pattern.by_ref {
        mistakes.add(token, "a parameter of a tool is a plain name, without `ref`");
    }
    let name = pattern.ident.unraw().to_string();
    if RESERVED.contains(&name.as_str()) {
        let message =
            format!("`{name}` is a value of the host and cannot be a parameter: read it from the context");
        mistakes.add(&pattern.ident, message);
    }
    check_type(&name, &typed.ty, mistakes);
    let mut argument = Argument { name, ty: (*typed.ty).clone(), description, default: None };
    for attribute in own.iter().filter(|attribute| is(attribute, "arg")) {
        read_arg(&mut argument, attribute, mistakes);
    }
    Some(argument)
}

fn check_type(name: &str, ty: &Type, mistakes: &mut Mistakes) {
    match ty {
        Type::Reference(reference) if is_context(&reference.elem) => {}
        Type::Reference(reference) => mistakes.add(
            reference,
            format!("the parameter `{name}` is borrowed, and a tool owns its arguments: for `&str` use `String`, for a slice `Vec`"),
        ),
        Type::ImplTrait(_) => {
            mistakes.add(ty, format!("the parameter `{name}` needs a type of its own: `impl` has no schema"));
        }
        Type::Infer(_) => mistakes.add(ty, format!("the parameter `{name}` needs a type")),
        _ => {}
    }
}

fn read_arg(argument: &mut Argument, attribute: &Attribute, mistakes: &mut Mistakes) {
    let metas = match attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) {
        Ok(metas) => metas,
        Err(error) => return mistakes.push(error),
    };
    for meta in metas {
        match &meta {
            Meta::NameValue(pair) if pair.path.is_ident("default") => {
                if argument.default.is_some() {
                    mistakes.add(&pair.path, format!("the parameter `{}` has two defaults", argument.name));
                }
                match Default::read(&argument.name, &argument.ty, &pair.value) {
                    Ok(default) => argument.default = Some(default),
                    Err(error) => mistakes.push(error),
                }
            }
            Meta::NameValue(pair) if pair.path.is_ident("description") => match &pair.value {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if !text.value().trim().is_empty() => {
                    argument.description = Some(text.value().trim().to_owned());
                }
                other => mistakes.add(other, "`description` is a text in quotes"),
            },
            other => {
                let options = "there are `default = ...` and `description = \"...\"`";
                mistakes.add(other, format!("this is not an option of `#[arg]`; {options}"));
            }
        }
    }
}

fn check_context(typed: &PatType, mistakes: &mut Mistakes) {
    if !matches!(typed.ty.as_ref(), Type::Reference(reference) if reference.mutability.is_none()) {
        mistakes.add(&typed.ty, "a tool takes its context as `&Context`");
    }
    for attribute in typed.attrs.iter().filter(|attribute| is(attribute, "arg") || is(attribute, "doc")) {
        mistakes
            .add(attribute, "the context is not part of the schema: it has no default and no description");
    }
}

/// Whether a type is `Context`, borrowed or not, by whatever path.
fn is_context(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_context(&reference.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Context"),
        _ => false,
    }
}

fn is(attribute: &Attribute, name: &str) -> bool {
    attribute.path().is_ident(name)
}
