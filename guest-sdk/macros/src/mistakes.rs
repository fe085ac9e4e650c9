//! All mistakes of one item, so that its author sees them at once.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Mistakes so far. Each is shown at the tokens it is about.
#[derive(Default)]
pub(crate) struct Mistakes(Option<syn::Error>);

impl Mistakes {
    pub(crate) fn add(&mut self, at: &impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(at, message));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub(crate) fn into_compile_errors(self) -> Option<TokenStream> {
        self.0.map(|all| all.to_compile_error())
    }
}
