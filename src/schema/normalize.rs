//! What providers accept as the schema of a tool's input.
