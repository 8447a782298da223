//! The crate's example, as those who read it on docs.rs would run it.

#[path = "../examples/mean.rs"]
mod mean;

#[test]
fn the_example_is_right() {
    assert_eq!(mean::mean_and_variance(&[20, 31, 47, 52, 60]).unwrap(), [42.0, 210.8]);
}
