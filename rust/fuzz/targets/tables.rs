#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cranfield_fuzz::checks::tables::check(bytes));
