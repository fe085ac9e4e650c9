//! What `#[tool]` writes: the function as it was, a type of the same name, and that type's `Tool`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{ItemFn, ReturnType};

use super::default::Default;
use super::options::{Delivery, Options};
use super::parameters::{Argument, Parameter, Parameters};

pub(super) struct Tool {
    pub(super) function: ItemFn,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) options: Options,
    pub(super) parameters: Parameters,
}

impl Tool {
    pub(super) fn expand(&self) -> TokenStream {
        let function = &self.function;
        let ident = &function.sig.ident;
        let declaration = self.declaration();
        let name = &self.name;
        let spec = self.spec();
        let call = self.call();
        quote! {
            #[allow(
                clippy::needless_pass_by_value,
                clippy::too_many_arguments,
                clippy::unused_async,
                reason = "a tool owns its arguments, and its signature is its schema"
            )]
            #function

            #declaration

            const _: () = {
                impl ::toolhost_sdk::Tool for #ident {
                    fn name(&self) -> &str {
                        #name
                    }

                    fn spec(&self) -> ::toolhost_sdk::ToolSpec {
                        #spec
                    }

                    fn call(
                        &self,
                        __ctx: &::toolhost_sdk::Context,
                        __arguments: &str,
                    ) -> ::core::result::Result<::toolhost_sdk::Reply, ::toolhost_sdk::ToolError> {
                        #call
                    }
                }
            };
        }
    }

    /// What stands in for a tool with mistakes, so that the compiler speaks of those and not of what they took away.
    pub(super) fn stand_in(&self, errors: &TokenStream) -> TokenStream {
        // A receiver is a mistake of its own to the compiler, wherever a free function has one.
        let function = self.function.sig.receiver().is_none().then_some(&self.function);
        let allow = function.map(|_| quote!(#[allow(unused, reason = "its tool could not be written")]));
        let ident = &self.function.sig.ident;
        let declaration = self.declaration();
        quote! {
            #errors
            #allow
            #function
            #declaration
            const _: () = {
                impl ::toolhost_sdk::Tool for #ident {
                    fn name(&self) -> &str {
                        ::core::unreachable!()
                    }
                    fn spec(&self) -> ::toolhost_sdk::ToolSpec {
                        ::core::unreachable!()
                    }
                    fn call(
                        &self,
                        _: &::toolhost_sdk::Context,
                        _: &str,
                    ) -> ::core::result::Result<::toolhost_sdk::Reply, ::toolhost_sdk::ToolError> {
                        ::core::unreachable!()
                    }
                }
            };
        }
    }

    fn declaration(&self) -> TokenStream {
        let visibility = &self.function.vis;
        let ident = &self.function.sig.ident;
        let doc = format!("The tool `{}`.", self.name);
        quote! {
            #[doc = #doc]
            #[allow(non_camel_case_types, reason = "a tool and its function have one name")]
            #[derive(Clone, Copy, Debug)]
            #visibility struct #ident {}
        }
    }

    fn spec(&self) -> TokenStream {
        let Options { read_only, destructive, idempotent, open_world, requires_approval, .. } = &self.options;
        let (name, description) = (&self.name, &self.description);
        let title = optional_text(self.options.title.as_ref());
        let pool = optional_text(self.options.pool.as_ref());
        let key = optional_text(self.options.idempotency_key.as_ref().map(syn::LitStr::value).as_ref());
        let timeout = match self.options.timeout_ms {
            Some(timeout) => quote!(::core::option::Option::Some(#timeout)),
            None => quote!(::core::option::Option::None),
        };
        let delivery = match self.options.delivery {
            Some(Delivery::AtMostOnce) => {
                quote!(::core::option::Option::Some(::toolhost_sdk::Delivery::AtMostOnce))
            }
            Some(Delivery::AtLeastOnce) => {
                quote!(::core::option::Option::Some(::toolhost_sdk::Delivery::AtLeastOnce))
            }
            None => quote!(::core::option::Option::None),
        };
        let parameters = self.parameters.arguments().map(parameter);
        let output = self.output();
        quote! {
            #[allow(unused_mut, reason = "a tool may have no parameters")]
            let mut __parameters = ::toolhost_sdk::__private::Parameters::new();
            #(#parameters)*
            ::toolhost_sdk::ToolSpec {
                title: #title,
                output_schema: <#output as ::toolhost_sdk::ToolOutput>::schema(),
                annotations: ::toolhost_sdk::Annotations {
                    read_only: #read_only,
                    destructive: #destructive,
                    idempotent: #idempotent,
                    open_world: #open_world,
                },
                wishes: ::toolhost_sdk::Wishes {
                    requires_approval: #requires_approval,
                    timeout_ms: #timeout,
                    pool: #pool,
                    delivery: #delivery,
                    idempotency_key: #key,
                },
                ..::toolhost_sdk::ToolSpec::new(#name, #description, __parameters.finish())
            }
        }
    }

    fn call(&self) -> TokenStream {
        let function = &self.function.sig.ident;
        let name = &self.name;
        let output = self.output();
        let locals: Vec<Ident> =
            (0..self.parameters.0.len()).map(|index| format_ident!("__argument{index}")).collect();
        let mut taken = Vec::new();
        let mut passed = Vec::new();
        let mut names = Vec::new();
        for (local, parameter) in locals.iter().zip(&self.parameters.0) {
            match parameter {
                Parameter::Context => passed.push(quote!(__ctx)),
                Parameter::Argument(argument) => {
                    let take = take(argument);
                    taken.push(quote!(let #local = #take;));
                    passed.push(quote!(#local));
                    names.push(local);
                }
            }
        }
        let run = match self.function.sig.asyncness {
            Some(_) => quote!(::toolhost_sdk::__private::block_on(#function(#(#passed),*))?),
            None => quote!(#function(#(#passed),*)),
        };
        quote! {
            #[allow(unused_mut, reason = "a tool may have no parameters")]
            let mut __arguments = ::toolhost_sdk::__private::Arguments::parse(#name, __arguments)?;
            #(#taken)*
            __arguments.finish()?;
            #(
                let ::core::option::Option::Some(#names) = #names else {
                    return ::core::result::Result::Err(::toolhost_sdk::ToolError::new("An argument is missing."));
                };
            )*
            #[allow(clippy::let_unit_value, reason = "a tool may return nothing")]
            let __output: #output = #run;
            <#output as ::toolhost_sdk::ToolOutput>::into_reply(__output)
        }
    }

    fn output(&self) -> TokenStream {
        match &self.function.sig.output {
            ReturnType::Default => quote!(()),
            ReturnType::Type(_, ty) => quote!(#ty),
        }
    }
}

fn parameter(argument: &Argument) -> TokenStream {
    let Argument { name, ty, .. } = argument;
    let description = match &argument.description {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    };
    let default = match &argument.default {
        None => quote!(::core::option::Option::None),
        Some(Default::Literal(value)) => quote!(::core::option::Option::Some(#value)),
        Some(Default::Expression(value)) => quote! {
            ::core::option::Option::Some({
                let __default: #ty = #value;
                // A default that has no JSON form shows as null; it holds all the same.
                ::toolhost_sdk::to_value(&__default).unwrap_or_default()
            })
        },
    };
    quote!(__parameters.add::<#ty>(#name, #description, #default);)
}

fn take(argument: &Argument) -> TokenStream {
    let Argument { name, ty, .. } = argument;
    match &argument.default {
        None => quote!(__arguments.take::<#ty>(#name)),
        Some(Default::Literal(value)) => quote!(__arguments.take_or_literal::<#ty>(#name, #value)),
        Some(Default::Expression(value)) => quote! {
            __arguments.take_or::<#ty, _>(#name, || {
                let __default: #ty = #value;
                __default
            })
        },
    }
}

fn optional_text(text: Option<&String>) -> TokenStream {
    match text {
        Some(text) => {
            let text = proc_macro2::Literal::string(text);
            quote!(::core::option::Option::Some(::std::string::String::from(#text)))
        }
        None => quote!(::core::option::Option::None),
    }
}
