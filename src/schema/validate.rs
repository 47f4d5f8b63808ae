//! Whether arguments satisfy a schema.
