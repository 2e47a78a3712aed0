#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| adamant_fuzz_cases::sketch(input));
