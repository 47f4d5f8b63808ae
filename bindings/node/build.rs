//! Tells the linker what Node brings along.

fn main() {
    napi_build::setup();
}
