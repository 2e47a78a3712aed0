//! The normal distribution.

/// How many standard deviations a 95 % interval reaches to each side.
pub(super) const Z_95: f64 = 1.959_963_985;

/// The probability that a standard normal variable is below `x`, with an error below 1e-6:
/// Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26.
pub(super) fn below(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] =
        [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let sum = COEFFICIENTS.iter().fold(0.0, |sum, coefficient| sum * t + coefficient) * t;
    let error_function = 1.0 - sum * (-z * z).exp();
    0.5 * (1.0 + error_function.copysign(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_has_its_known_values() {
        for (x, wanted) in
            [(0.0, 0.5), (1.0, 0.841_344_75), (-1.0, 0.158_655_25), (Z_95, 0.975), (-9.0, 0.0)]
        {
            assert!((below(x) - wanted).abs() < 1e-6, "{x}: {}", below(x));
        }
    }
}
