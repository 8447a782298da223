//! `#[wasm_bindgen]` for addons of Node: what the border writes once, for wasm, is bound a second time from the same lines.
//! Known are `js_name`, `constructor`, structs, their methods and free functions, as far as the border uses them; anything
//! else is an error while compiling.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, FnArg, ImplItem, Item, Meta, ReceiverKind, Result, Signature, Token, Type,
    Visibility,
};

/// See above.
#[proc_macro_attribute]
pub fn wasm_bindgen(options: TokenStream, item: TokenStream) -> TokenStream {
    let bound = Options::parse(options.into()).and_then(|options| bind(&options, syn::parse(item)?));
    bound.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// What stands in the attribute.
#[derive(Default)]
struct Options {
    name: Option<String>,
    constructor: bool,
}

impl Options {
    fn parse(tokens: Tokens) -> Result<Self> {
        let mut options = Self::default();
        for meta in Punctuated::<Meta, Token![,]>::parse_terminated.parse2(tokens)? {
            match meta {
                Meta::Path(path) if path.is_ident("constructor") => options.constructor = true,
                Meta::NameValue(pair) if pair.path.is_ident("js_name") => {
                    let Expr::Path(name) = pair.value else {
                        return Err(Error::new(pair.value.span(), "js_name is an identifier"));
                    };
                    options.name = name.path.get_ident().map(ToString::to_string);
                }
                other => return Err(Error::new(other.span(), "unknown to addons of Node")),
            }
        }
        Ok(options)
    }

    /// Those of a method, whose attribute is taken away.
    fn take(attrs: &mut Vec<Attribute>) -> Result<Self> {
        let Some(at) = attrs.iter().position(|attr| attr.path().is_ident("wasm_bindgen")) else {
            return Ok(Self::default());
        };
        match attrs.remove(at).meta {
            Meta::List(list) => Self::parse(list.tokens),
            _ => Ok(Self::default()),
        }
    }
}

fn bind(options: &Options, item: Item) -> Result<Tokens> {
    match item {
        Item::Fn(function) => {
            let entry = entry(&Target::Exports, options, &function.sig)?;
            Ok(quote!(#function #entry))
        }
        Item::Struct(class) => {
            let (name, text) = (&class.ident, class.ident.to_string());
            Ok(quote! {
                #class
                impl ::cipherloom_node::Class for #name {
                    const NAME: &'static str = #text;
                }
                impl ::cipherloom_node::FromReference for #name {
                    type Held = ::cipherloom_node::Borrowed<Self>;
                    fn from_reference(
                        value: ::cipherloom_node::JsValue,
                    ) -> ::std::result::Result<Self::Held, ::cipherloom_node::JsValue> {
                        ::cipherloom_node::borrow(value)
                    }
                }
                impl ::std::convert::From<#name> for ::cipherloom_node::JsValue {
                    fn from(own: #name) -> Self {
                        ::cipherloom_node::instance(own)
                    }
                }
                ::cipherloom_node::submit!(::cipherloom_node::Entry::class(#text));
            })
        }
        Item::Impl(mut block) => {
            let mut entries = Tokens::new();
            for item in &mut block.items {
                let ImplItem::Fn(method) = item else { continue };
                let options = Options::take(&mut method.attrs)?;
                if matches!(method.vis, Visibility::Public(_)) {
                    entries.extend(entry(&Target::Class(&block.self_ty), &options, &method.sig)?);
                }
            }
            Ok(quote!(#block #entries))
        }
        other => Err(Error::new(other.span(), "unknown to addons of Node")),
    }
}

/// What a function is put on.
enum Target<'a> {
    Exports,
    Class(&'a Type),
}

/// How JavaScript calls a function.
fn entry(target: &Target<'_>, options: &Options, signature: &Signature) -> Result<Tokens> {
    let function = &signature.ident;
    let name = options.name.clone().unwrap_or_else(|| function.to_string());
    let mut steps = Tokens::new();
    let mut given = Tokens::new();
    let mut method = false;
    for (index, input) in signature.inputs.iter().enumerate() {
        match input {
            FnArg::Receiver(own) => {
                method = true;
                let ReceiverKind::Reference(_, _, mutable) = &own.kind else {
                    return Err(Error::new(own.span(), "methods of addons borrow"));
                };
                let Target::Class(class) = target else {
                    return Err(Error::new(own.span(), "a function of no class has no receiver"));
                };
                let (step, pass) = if mutable.is_some() {
                    (
                        quote!(let mut held = ::cipherloom_node::borrow_mut::<#class>(call.this())?;),
                        quote!(&mut *held,),
                    )
                } else {
                    (quote!(let held = ::cipherloom_node::borrow::<#class>(call.this())?;), quote!(&*held,))
                };
                steps.extend(step);
                given.extend(pass);
            }
            FnArg::Typed(own) => {
                let at = index - usize::from(method);
                let value = format_ident!("value{at}");
                match &*own.ty {
                    Type::Reference(reference) => {
                        let to = &reference.elem;
                        steps.extend(quote! {
                            let #value = <#to as ::cipherloom_node::FromReference>::from_reference(call.argument(#at))?;
                        });
                        given.extend(quote!(&*#value,));
                    }
                    ty => {
                        steps.extend(quote! {
                            let #value = <#ty as ::cipherloom_node::FromJs>::from_js(call.argument(#at))?;
                        });
                        given.extend(quote!(#value,));
                    }
                }
            }
        }
    }
    Ok(match target {
        Target::Exports => quote! {
            ::cipherloom_node::submit!(::cipherloom_node::Entry::function(#name, |call| {
                #steps
                ::cipherloom_node::IntoJs::into_js(#function(#given))
            }));
        },
        Target::Class(ty) if options.constructor => quote! {
            ::cipherloom_node::submit!(::cipherloom_node::Entry::constructor(
                <#ty as ::cipherloom_node::Class>::NAME,
                |call| {
                    #steps
                    ::cipherloom_node::IntoOwn::into_own(<#ty>::#function(#given))
                },
            ));
        },
        Target::Class(ty) => quote! {
            ::cipherloom_node::submit!(::cipherloom_node::Entry::method(
                <#ty as ::cipherloom_node::Class>::NAME,
                #name,
                #method,
                |call| {
                    #steps
                    ::cipherloom_node::IntoJs::into_js(<#ty>::#function(#given))
                },
            ));
        },
    })
}
