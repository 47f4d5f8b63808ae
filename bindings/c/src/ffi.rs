//! The border: how pointers, texts, numbers and panics cross it. All unsafe code of the binding is here.
//!
//! Nothing here knows what is asked for. What C promises stands at the top of the header; what can be checked of it is
//! checked here, in one place each: NULL by [`given`] and [`answer`], lengths and UTF-8 by [`Bytes`], numbers by
//! [`choice`], panics by [`answer`] and [`look_up`].

use std::ffi::{c_char, c_int};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use crate::error::{Mistake, mws_error};
use crate::status::mws_status;

/// The start of a text or document that C hands over; its length comes beside it. Only C can make one, and so promises
/// that as many bytes stay readable and unchanged during the call.
#[repr(transparent)]
pub struct Bytes<'a>(*const c_char, PhantomData<&'a [u8]>);

impl<'a> Bytes<'a> {
    /// The bytes; NULL without a length is as good as empty. `name` is what the header calls the argument.
    pub(crate) fn bytes(self, len: usize, name: &'static str) -> Result<&'a [u8], Mistake> {
        Ok(self.optional_bytes(len, name)?.unwrap_or_default())
    }

    /// The bytes as text.
    pub(crate) fn text(self, len: usize, name: &'static str) -> Result<&'a str, Mistake> {
        Ok(self.optional_text(len, name)?.unwrap_or_default())
    }

    /// The bytes as text, or nothing for NULL.
    pub(crate) fn optional_text(self, len: usize, name: &'static str) -> Result<Option<&'a str>, Mistake> {
        self.optional_bytes(len, name)?.map(|bytes| utf8(bytes, name)).transpose()
    }

    /// As [`optional_text`](Self::optional_text), for a text that may be cut off anywhere: a character that is cut off
    /// at its end is left out.
    pub(crate) fn optional_text_so_far(self, len: usize, name: &'static str) -> Result<Option<&'a str>, Mistake> {
        let Some(bytes) = self.optional_bytes(len, name)? else { return Ok(None) };
        let whole = match str::from_utf8(bytes) {
            Err(error) if error.error_len().is_none() => bytes.get(..error.valid_up_to()).unwrap_or_default(),
            Ok(_) | Err(_) => bytes,
        };
        utf8(whole, name).map(Some)
    }

    fn optional_bytes(self, len: usize, name: &'static str) -> Result<Option<&'a [u8]>, Mistake> {
        if self.0.is_null() {
            return if len == 0 { Ok(None) } else { Err(Mistake::Null(name)) };
        }
        // No object in memory is larger; a negative number that became a length is.
        if isize::try_from(len).is_err() {
            return Err(Mistake::Length { argument: name, len });
        }
        // SAFETY: C promises `len` readable bytes that do not change during the call (see the type); they are no
        // more than an object can have.
        Ok(Some(unsafe { slice::from_raw_parts(self.0.cast(), len) }))
    }
}

fn utf8<'a>(bytes: &'a [u8], name: &'static str) -> Result<&'a str, Mistake> {
    str::from_utf8(bytes).map_err(|error| Mistake::NotUtf8 { argument: name, valid_up_to: error.valid_up_to() })
}

/// A text that belongs to the caller.
///
/// UTF-8, `len` bytes from `data` on, followed by a NUL byte that `len` does not count. `data` is NULL when there is
/// no text, which is not the same as an empty one. Read the fields and do not change them. Give the text back with
/// mws_string_free().
#[repr(C)]
pub struct mws_string {
    /// The first byte, or NULL.
    data: *const c_char,
    /// How many bytes, without the NUL byte at the end.
    len: usize,
}

impl Default for mws_string {
    fn default() -> Self {
        Self { data: ptr::null(), len: 0 }
    }
}

impl From<String> for mws_string {
    fn from(mut text: String) -> Self {
        let len = text.len();
        // Exactly one more byte, so that the box below is made without moving the text.
        text.reserve_exact(1);
        text.push('\0');
        Self { data: Box::into_raw(text.into_boxed_str()).cast::<c_char>(), len }
    }
}

impl From<Option<String>> for mws_string {
    fn from(text: Option<String>) -> Self {
        text.map(Self::from).unwrap_or_default()
    }
}

impl mws_string {
    /// Takes the text back and leaves none.
    pub(crate) fn take_back(&mut self) {
        let Self { data, len } = std::mem::take(self);
        if data.is_null() {
            return;
        }
        let bytes = ptr::slice_from_raw_parts_mut(data.cast_mut().cast::<u8>(), len + 1);
        // SAFETY: the pair was made from a box of `len + 1` bytes, C promises not to change it, and it is forgotten
        // here, so nothing is freed twice.
        drop(unsafe { Box::from_raw(bytes) });
    }
}

/// An enumeration whose values C hands over as a number.
pub(crate) trait Choice: Copy + 'static {
    /// The values that may be handed over.
    const ALL: &'static [Self];

    /// The number in the header.
    fn number(self) -> c_int;

    /// What any other number is told.
    fn mistake(number: c_int) -> Mistake;
}

/// The value that a number stands for. C may hand over any number, so the argument is only taken for a value once it is
/// known to be one.
pub(crate) fn choice<E: Choice>(given: MaybeUninit<E>) -> Result<E, Mistake> {
    const { assert!(size_of::<E>() == size_of::<c_int>() && align_of::<E>() == align_of::<c_int>()) };
    // SAFETY: an enumeration of C is passed as an initialised number of this size; every number is a `c_int`.
    let number = unsafe { given.as_ptr().cast::<c_int>().read() };
    E::ALL.iter().copied().find(|value| value.number() == number).ok_or_else(|| E::mistake(number))
}

/// The handle or place behind a pointer that must not be NULL.
pub(crate) fn given<T>(pointer: Option<T>, name: &'static str) -> Result<T, Mistake> {
    pointer.ok_or(Mistake::Null(name))
}

/// Where an error goes that the caller wants to see.
pub(crate) type ErrorPlace<'a> = Option<&'a mut MaybeUninit<Option<Box<mws_error>>>>;

/// Does the work of a function that can fail, and writes its answer, or an error. Both places are always written, so
/// that what stands there can be freed whatever happened. No panic comes past here.
pub(crate) fn answer<T: Default>(
    out: Option<&mut MaybeUninit<T>>,
    error: ErrorPlace<'_>,
    work: impl FnOnce() -> Result<T, Mistake>,
) -> mws_status {
    let result = match &out {
        Some(_) => catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Mistake::of_panic(&*panic))),
        None => Err(Mistake::Null("out")),
    };
    let (value, mistake) = match result {
        Ok(value) => (value, None),
        Err(mistake) => (T::default(), Some(mistake)),
    };
    if let Some(out) = out {
        out.write(value);
    }
    let status = mistake.as_ref().map_or(mws_status::Ok, Mistake::status);
    if let Some(place) = error {
        place.write(mistake.map(|mistake| Box::new(mws_error::from(mistake))));
    }
    status
}

/// Looks something up in a handle; for NULL, and should that panic, gives the answer that says nothing.
pub(crate) fn look_up<H, T: Default>(handle: Option<H>, look: impl FnOnce(H) -> T) -> T {
    handle.and_then(|handle| catch_unwind(AssertUnwindSafe(|| look(handle))).ok()).unwrap_or_default()
}

/// Writes an answer that not every caller wants.
pub(crate) fn write_optional<T>(place: Option<&mut MaybeUninit<T>>, value: T) {
    if let Some(place) = place {
        place.write(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::mws_locale;

    fn bytes(text: &str) -> Bytes<'_> {
        Bytes(text.as_ptr().cast(), PhantomData)
    }

    const NULL: Bytes<'static> = Bytes(ptr::null(), PhantomData);

    #[test]
    fn a_panic_becomes_a_status_and_an_error() {
        let mut out = MaybeUninit::new(7_usize);
        let mut error = MaybeUninit::uninit();
        let status = answer(Some(&mut out), Some(&mut error), || panic!("a {}", "bug"));
        // SAFETY: `answer` writes both places.
        let (out, error) = unsafe { (out.assume_init(), error.assume_init()) };
        assert_eq!((status, out), (mws_status::Internal, 0));
        assert!(error.unwrap().message().contains("a bug"));
        assert_eq!(look_up(Some(()), |()| -> usize { panic!("a bug") }), 0);
    }

    #[test]
    fn a_place_for_the_answer_is_needed_and_one_for_the_error_is_not() {
        assert_eq!(answer(None::<&mut MaybeUninit<usize>>, None, || Ok(1)), mws_status::NullPointer);
        let mut out = MaybeUninit::uninit();
        assert_eq!(answer(Some(&mut out), None, || Ok(1_usize)), mws_status::Ok);
        // SAFETY: `answer` writes it.
        assert_eq!(unsafe { out.assume_init() }, 1);
    }

    #[test]
    fn bytes_are_checked_before_they_are_read() {
        assert_eq!(NULL.text(0, "a").unwrap(), "");
        assert_eq!(NULL.optional_text(0, "a").unwrap(), None);
        assert_eq!(bytes("").optional_text(0, "a").unwrap(), Some(""));
        assert_eq!(bytes("né").text(3, "a").unwrap(), "né");
        assert!(matches!(NULL.text(1, "a"), Err(Mistake::Null("a"))));
        assert!(matches!(bytes("né").text(2, "a"), Err(Mistake::NotUtf8 { valid_up_to: 1, .. })));
        assert_eq!(bytes("né").optional_text_so_far(2, "a").unwrap(), Some("n"));
        assert_eq!(bytes("né").optional_text_so_far(3, "a").unwrap(), Some("né"));
        assert!(matches!(
            Bytes(c"n\xc3x".as_ptr(), PhantomData).optional_text_so_far(3, "a"),
            Err(Mistake::NotUtf8 { .. })
        ));
        assert!(matches!(bytes("a").bytes(usize::MAX, "a"), Err(Mistake::Length { len: usize::MAX, .. })));
    }

    #[test]
    fn only_the_numbers_of_the_header_are_values() {
        let given = |number: c_int| {
            let mut place = MaybeUninit::<mws_locale>::uninit();
            // SAFETY: the two have one size, and the number is not read as a value.
            unsafe { place.as_mut_ptr().cast::<c_int>().write(number) };
            choice(place).ok()
        };
        assert_eq!(given(0), Some(mws_locale::ZhCn));
        assert_eq!(given(1), Some(mws_locale::En));
        assert_eq!([given(-1), given(2), given(c_int::MIN)], [None; 3]);
    }

    #[test]
    fn a_text_is_given_and_taken_back() {
        let mut text = mws_string::from("né\0x".to_owned());
        assert_eq!(text.len, 5);
        // SAFETY: the text has `len + 1` bytes.
        assert_eq!(unsafe { slice::from_raw_parts(text.data.cast::<u8>(), 6) }, "né\0x\0".as_bytes());
        text.take_back();
        assert!(text.data.is_null() && text.len == 0);
        text.take_back();
        assert!(mws_string::from(None).data.is_null());
        let mut empty = mws_string::from(String::new());
        assert!(!empty.data.is_null());
        empty.take_back();
    }
}
