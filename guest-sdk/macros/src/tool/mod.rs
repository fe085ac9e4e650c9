//! `#[tool]`: from a function to a tool.

mod default;
mod expand;
mod key_template;
mod options;
mod parameters;

use proc_macro2::TokenStream;
use syn::ItemFn;
use syn::spanned::Spanned;

use self::options::Options;
use self::parameters::Parameters;
use crate::doc;
use crate::mistakes::Mistakes;

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut function: ItemFn = match syn::parse2(item) {
        Ok(function) => function,
        Err(error) => {
            let message = format!("`#[tool]` stands on a function: {error}");
            return syn::Error::new(error.span(), message).to_compile_error();
        }
    };
    let mut mistakes = Mistakes::default();
    let options = Options::parse(options, &mut mistakes);
    check_signature(&function, &mut mistakes);
    let parameters = Parameters::take(&mut function, &mut mistakes);
    let name = options.tool_name(&function, &mut mistakes);
    let description = options.description().or_else(|| doc::description(&function.attrs));
    if description.is_none() {
        let message = format!(
            "the tool `{name}` has no description: say in a doc comment what it does, when not to use it, and whether \
             it has a side effect"
        );
        mistakes.add(&function.sig.ident, message);
    }
    options.check_key_template(&parameters, &mut mistakes);
    let tool =
        expand::Tool { function, name, description: description.unwrap_or_default(), options, parameters };
    match mistakes.into_compile_errors() {
        Some(errors) => tool.stand_in(&errors),
        None => tool.expand(),
    }
}

fn check_signature(function: &ItemFn, mistakes: &mut Mistakes) {
    let signature = &function.sig;
    let name = &signature.ident;
    for parameter in &signature.generics.params {
        mistakes.add(parameter, format!("the tool `{name}` cannot be generic: a schema needs its types"));
    }
    if let (Some(clause), true) = (&signature.generics.where_clause, signature.generics.params.is_empty()) {
        mistakes.add(clause, format!("the tool `{name}` cannot have a `where` clause"));
    }
    if let Some(token) = &signature.unsafety {
        mistakes.add(token, format!("the tool `{name}` cannot be `unsafe`: its caller is a model"));
    }
    if let Some(token) = &signature.abi {
        mistakes.add(token, format!("the tool `{name}` cannot be `extern`"));
    }
    if let Some(variadic) = &signature.variadic {
        mistakes.push(syn::Error::new(variadic.span(), format!("the tool `{name}` cannot be variadic")));
    }
}
