//! The C binding of `mcp-working-set`: it translates and decides nothing.
//!
//! One file per noun, each with the functions that stand in `include/mcp_working_set.h`; their comments *are* the
//! header, which `cargo xtask header` writes. Types bear the names they have in C. How pointers, texts, numbers and
//! panics cross the border is the business of [`ffi`] alone, which holds all the unsafe code there is.
//!
//! Ownership stands in the types: `Option<&T>` is a handle that is lent and may be NULL, `Option<Box<T>>` one that
//! changes hands, `Option<&mut MaybeUninit<T>>` a place for an answer.

#![allow(non_camel_case_types, reason = "types bear their C names, so that one search finds both sides")]

// The header has their functions in this order; the empty lines keep it from being sorted.
pub mod ffi;

pub mod version;

pub mod status;

pub mod text;

pub mod error;

pub mod locale;

pub mod load_mode;

pub mod report;

pub mod working_set;

pub mod context;

pub mod plan;

pub mod approval;

pub mod names;

pub mod schema;

pub mod display;
