//! Finds credentials in the arguments of a call, so that a dialog or a log does not spread them.
//!
//! Decides by the name of a key and by the well-known forms of credentials. It is a courtesy and no proof: what it
//! does not know it shows. It must not be a hiding place either: inside a longer text only characters that credentials
//! are made of are masked, never white space, quotes, brackets or what joins and substitutes commands in a shell.

use std::borrow::Cow;
use std::ops::Range;

/// Stands in place of a credential.
pub(super) const MASK: &str = "***";

/// A key says that its value is a secret when its letters and digits, in lower case, contain one of these …
const SECRET_PARTS: [&str; 20] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "authkey",
    "sshkey",
    "credential",
    "authorization",
    "cookie",
    "密码",
    "口令",
    "密钥",
    "令牌",
];
/// … or are one of these …
const SECRET_WORDS: [&str; 7] = ["pwd", "pass", "auth", "bearer", "jwt", "otp", "pin"];
/// … unless they end in one of these: then the value is about a secret, not the secret.
const ABOUT_SECRETS: [&str; 14] = [
    "path", "file", "filename", "name", "type", "url", "uri", "endpoint", "length", "count", "limit", "policy",
    "expiry", "required",
];

/// Credentials that can be told by how they begin, with the least number of characters that must follow.
const KNOWN_FORMS: [(&str, usize); 37] = [
    ("sk-", 16),
    ("sk_live_", 8),
    ("sk_test_", 8),
    ("rk_live_", 8),
    ("rk_test_", 8),
    ("whsec_", 16),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 16),
    ("xoxa-", 8),
    ("xoxb-", 8),
    ("xoxe-", 8),
    ("xoxp-", 8),
    ("xoxr-", 8),
    ("xoxs-", 8),
    ("xapp-", 8),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 16),
    ("eyJ", 20),
    ("npm_", 30),
    ("pypi-", 30),
    ("hf_", 20),
    ("SG.", 30),
    ("dop_v1_", 30),
    ("shpat_", 20),
    ("lin_api_", 20),
    ("gsk_", 20),
    ("ATATT", 20),
    ("nvapi-", 20),
    ("dckr_pat_", 16),
    ("AGE-SECRET-KEY-", 20),
];

/// How a run of characters looks is decided on this many of them, so that reading stays linear.
const LOOKED_AT: usize = 64;

/// True when the value under this key is a secret by its name. `raw` is the value's JSON text: `null`, `true` and
/// `false` are no secrets, and neither is a number under a key that counts tokens.
pub(super) fn is_secret(key: &str, raw: &str) -> bool {
    !matches!(raw, "null" | "true" | "false" | "\"\"") && is_secret_key(key, is_number(raw.trim_matches('"')))
}

fn is_secret_key(key: &str, has_number: bool) -> bool {
    let letters: String = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if ABOUT_SECRETS.iter().any(|end| letters.ends_with(end)) {
        return false;
    }
    SECRET_PARTS.iter().any(|part| letters.contains(part))
        || SECRET_WORDS.contains(&letters.as_str())
        || letters.ends_with("token")
        || (letters.contains("token") && !letters.contains("tokeniz") && !has_number)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The text with each credential in it masked. What tells its kind stays: `ghp_***`, `Bearer ***`, `password=***`.
pub(super) fn mask(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let found = secret_at(rest);
        if let Some(secret) = &found.secret {
            out.push_str(text.get(copied..at + secret.start).unwrap_or_default());
            out.push_str(MASK);
            copied = at + secret.end;
        }
        // Always forward, or the loop would not end.
        at += found.read.max(1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// What stands at the beginning of a text.
struct Found {
    secret: Option<Range<usize>>,
    /// How many bytes need not be looked at again.
    read: usize,
}

/// Looks for a secret that begins, or whose name begins, at the beginning of this text, which is the beginning of a
/// word or no letter at all.
fn secret_at(text: &str) -> Found {
    let secret = |range: Range<usize>| Found { read: range.end, secret: Some(range) };
    if let Some(range) = private_key(text).or_else(|| url_password(text)) {
        return secret(range);
    }
    let word = run(text, is_word);
    if word == 0 {
        return Found { secret: None, read: 1 };
    }
    match known_form(text).or_else(|| bearer(text, word)).or_else(|| assigned(text, word)) {
        Some(range) => secret(range),
        None => Found { secret: None, read: word },
    }
}

/// The inside of a PEM block that holds a private key, to its end or to the end of the text.
fn private_key(text: &str) -> Option<Range<usize>> {
    let title = text.strip_prefix("-----BEGIN ")?;
    let start = "-----BEGIN ".len() + run(title, |c| c.is_ascii_uppercase() || c == ' ') + "-----".len();
    if !text.get(..start)?.ends_with("PRIVATE KEY-----") {
        return None;
    }
    let end = text.get(start..)?.find("-----END").map_or(text.len(), |end| start + end);
    Some(start..end)
}

/// The password of `://user:password@host`.
fn url_password(text: &str) -> Option<Range<usize>> {
    let authority = text.strip_prefix("://")?;
    let authority = authority.get(..run(authority, |c| !c.is_whitespace() && !"/?#\"'`<>$()|&;\\".contains(c)))?;
    let end = authority.rfind('@')?;
    let start = authority.get(..end)?.find(':')? + 1;
    (start < end).then_some("://".len() + start.."://".len() + end)
}

fn known_form(text: &str) -> Option<Range<usize>> {
    let (prefix, least) = KNOWN_FORMS.into_iter().find(|(prefix, _)| text.starts_with(prefix))?;
    let body = text.get(prefix.len()..)?;
    let is_body = |c| is_word(c) || c == '.';
    if !begins_random(body, is_body) {
        return None;
    }
    let length = run(body, is_body);
    // Base64 of any JSON object begins like a JWT; only a JWT has parts.
    let fits = length >= least && (prefix != "eyJ" || body.get(..length)?.contains('.'));
    fits.then_some(prefix.len()..prefix.len() + length)
}

/// What follows the word `Bearer` or `Basic`.
fn bearer(text: &str, word: usize) -> Option<Range<usize>> {
    if !is_scheme(text.get(..word)?) {
        return None;
    }
    let start = word + run(text.get(word..)?, |c| c == ' ');
    let body = text.get(start..)?;
    if start == word || !begins_random(body, is_credential) {
        return None;
    }
    let length = run(body, is_credential);
    (length >= 8).then_some(start..start + length)
}

/// The value of `key=value`, `"key": "value"` or `--key value` where the key says that it is a secret.
fn assigned(text: &str, word: usize) -> Option<Range<usize>> {
    let key = text.get(..word)?;
    let behind = text.get(word..)?;
    let quote = run(behind, |c| matches!(c, '"' | '\'' | '\\')).min(2);
    let sign = quote + run(behind.get(quote..)?, |c| c == ' ').min(8);
    let value = match behind.get(sign..)?.bytes().next() {
        Some(b'=' | b':') => sign + 1,
        _ if key.starts_with("--") && behind.starts_with(' ') => 1,
        _ => return None,
    };
    // The key before the value: a long value is read only to be masked.
    if !is_secret_key(key, false) {
        return None;
    }
    let rest = behind.get(value..)?;
    let mut start = word + value + run(rest, |c| c == ' ').min(8);
    start += run(text.get(start..)?, |c| matches!(c, '"' | '\'' | '\\')).min(2);
    let body = text.get(start..)?;
    // `--password --verbose`, `secret://vault/path`
    if body.starts_with("--") || body.starts_with("//") {
        return None;
    }
    let mut length = run(body, is_credential);
    let first = body.get(..length)?;
    if length == 0 || matches!(first, "null" | "true" | "false") || !is_secret_key(key, is_number(first)) {
        return None;
    }
    if is_scheme(first) {
        start += length + run(body.get(length..)?, |c| c == ' ');
        length = run(text.get(start..)?, is_credential);
    }
    (length > 0).then_some(start..start + length)
}

fn is_scheme(word: &str) -> bool {
    ["bearer", "basic"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Credentials have digits or capitals soon; words with dashes between them do not.
fn begins_random(text: &str, is_body: impl Fn(char) -> bool) -> bool {
    text.chars().take(LOOKED_AT).take_while(|&c| is_body(c)).any(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// A character that can be part of a credential and does nothing else in a command or a document.
fn is_credential(c: char) -> bool {
    c.is_alphanumeric() || "_-.~+/=%!@#^*:".contains(c)
}

/// The length in bytes of what satisfies the test at the beginning of the text.
fn run(text: &str, test: impl Fn(char) -> bool) -> usize {
    text.find(|c| !test(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_name_a_secret() {
        for key in [
            "token",
            "accessToken",
            "access_token",
            "x-api-key",
            "API_KEY",
            "apikey",
            "Authorization",
            "password",
            "userPassword",
            "pass\u{200b}word",
            "client_secret",
            "privateKey",
            "Cookie",
            "auth",
            "PIN",
            "db.passwd",
            "密码",
            "用户密码",
        ] {
            assert!(is_secret(key, "\"x\"") && is_secret(key, "[1]") && is_secret(key, "12"), "{key}");
            assert!(!is_secret(key, "null") && !is_secret(key, "true") && !is_secret(key, "\"\""), "{key}");
        }
        for key in [
            "path",
            "key",
            "author",
            "authority",
            "passenger",
            "compass",
            "monkey",
            "tokenizer",
            "session",
            "opinion",
            "password_file",
            "secretName",
            "token_type",
            "token_url",
            "",
        ] {
            assert!(!is_secret(key, "\"x\""), "{key}");
        }
        assert!(!is_secret("max_tokens", "100") && !is_secret("token_budget", "\"100\""));
        assert!(is_secret("tokens", "[\"x\"]"));
    }

    #[test]
    fn credentials_inside_a_text() {
        // Put together here, so that no scanner takes this file for a leak.
        let body = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        for (before, after) in [
            (format!("use ghp_{body} now"), "use ghp_*** now".to_owned()),
            (format!("(sk-{body})"), "(sk-***)".to_owned()),
            (format!("AKIA{}", "ABCDEFGH12345678"), "AKIA***".to_owned()),
            (format!("eyJ{body}.eyJ{body}.{body}"), "eyJ***".to_owned()),
            (format!("curl -H 'Authorization: Bearer {body}' u"), "curl -H 'Authorization: Bearer ***' u".to_owned()),
            ("authorization: basic dXNlcjpw".to_owned(), "authorization: basic ***".to_owned()),
            (format!("Bearer {body}"), "Bearer ***".to_owned()),
            ("postgres://me:pa@ss@db:5432/x".to_owned(), "postgres://me:***@db:5432/x".to_owned()),
            ("https://h/?a=1&api_key=xyz&b=2".to_owned(), "https://h/?a=1&api_key=***&b=2".to_owned()),
            (r#"{"a":1,"password": "x\"y"}"#.to_owned(), r#"{"a":1,"password": "***\"y"}"#.to_owned()),
            (r#"{\"password\":\"hunter2\"}"#.to_owned(), r#"{\"password\":\"***\"}"#.to_owned()),
            ("x --password hunter2 --user u".to_owned(), "x --password *** --user u".to_owned()),
            ("PGPASSWORD=a psql; TOKEN='b'".to_owned(), "PGPASSWORD=*** psql; TOKEN='***'".to_owned()),
            (
                format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"),
                "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----".to_owned(),
            ),
        ] {
            assert_eq!(mask(&before), after);
        }
    }

    #[test]
    fn nothing_that_acts_hides_behind_a_mask() {
        for text in [
            "rm -rf /; ls | wc",
            "TOKEN=$(rm -rf /)",
            "password=`id`",
            "--password --force",
            "git@github.com:a/b",
            "http://user@host/",
            "sk-learn-is-a-common-prefix",
            "a basic functionality test, bearer of news",
            "max_tokens=100 tokenizer: x",
            "secret://vault/path",
            "eyJhIjoxLCJiIjoyLCJjIjozfQ",
            "中文 token 说明",
        ] {
            assert_eq!(mask(text), text);
        }
        assert_eq!(mask("password=x;rm -rf /"), "password=***;rm -rf /");
    }

    #[test]
    fn masking_is_linear() {
        for unit in [
            "sk-a.",
            "eyJ.",
            "://a:b",
            "Bearer ",
            "token=",
            "token ",
            "x=",
            "max_tokens=1 ",
            "--token ",
            "\\\"",
            "-----BEGIN ",
            "a",
            " ",
            "é",
        ] {
            let text = unit.repeat(60_000 / unit.len());
            // A quadratic step would take the better part of a minute here.
            assert!(mask(&text).len() <= text.len() * 2);
        }
    }
}
