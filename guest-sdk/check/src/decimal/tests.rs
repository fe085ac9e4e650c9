use proptest::prelude::*;

use super::*;

fn normal(text: &str) -> String {
    Decimal::parse(text).map_or_else(|| "no number".to_owned(), |decimal| decimal.to_string())
}

#[test]
fn equal_numbers_have_one_normal_form() {
    for (texts, expected) in [
        (&["1", "1.0", "10e-1", "0.1e1", "1e0", "1E+00", "0.0001e4", "1000e-3"][..], "1"),
        (&["0", "-0", "0.0", "-0.0e5", "0e-900", "0e900"], "0"),
        (&["9007199254740993"], "9007199254740993"),
        (&["9007199254740992"], "9007199254740992"),
        (&["725653563933458432"], "725653563933458432"),
        (&["-12.50", "-1.25e1", "-1250E-2"], "-12.5"),
        (&["0.000001", "1e-6"], "0.000001"),
        (&["0.0000001", "1e-7", "0.1e-6"], "1e-7"),
        (&["100000000000000000000", "1e20"], "100000000000000000000"),
        (&["1000000000000000000000", "1e21"], "1e+21"),
        (&["123456789012345678901234", "1.23456789012345678901234e23"], "1.23456789012345678901234e+23"),
        (&["1.5e-300", "15e-301", "0.15e-299"], "1.5e-300"),
    ] {
        for text in texts {
            assert_eq!(normal(text), expected, "for {text}");
        }
    }
    for text in ["", "-", "a", "1a", "+1", "1e", "1e99999999999999999999", " 1", "1.2.3", ".5"] {
        assert_eq!(normal(text), "no number", "for {text}");
    }
}

#[test]
fn the_order_is_exact() {
    let ascending = [
        "-1e400",
        "-9007199254740993",
        "-9007199254740992",
        "-1.5",
        "-1",
        "-0.1",
        "-1e-400",
        "0",
        "1e-400",
        "0.1",
        "0.10000000000000000001",
        "1",
        "2",
        "10",
        "9007199254740992",
        "9007199254740992.5",
        "9007199254740993",
        "1e400",
    ];
    for (at, left) in ascending.iter().enumerate() {
        for (other_at, right) in ascending.iter().enumerate() {
            assert_eq!(
                Decimal::parse(left).cmp(&Decimal::parse(right)),
                at.cmp(&other_at),
                "{left} and {right}"
            );
        }
    }
}

#[test]
fn divisibility_is_exact() {
    let divides = |value: &str, divisor: &str| {
        Decimal::parse(value).and_then(|value| value.is_multiple_of(&Decimal::parse(divisor)?))
    };
    for (value, divisor) in [
        ("0.3", "0.1"),
        ("1", "0.1"),
        ("-0.3", "0.1"),
        ("0", "7"),
        ("1e300", "1"),
        ("1e300", "2"),
        ("19.99", "0.01"),
        ("9007199254740993", "3"),
        ("7.5", "2.5"),
        ("1e1000", "5e-1000"),
        ("1e3", "8"),
        ("12e-1", "4e-1"),
    ] {
        assert_eq!(divides(value, divisor), Some(true), "{value} by {divisor}");
    }
    for (value, divisor) in [
        ("0.35", "0.1"),
        ("1", "0.3"),
        ("9007199254740993", "2"),
        ("1e300", "3"),
        ("1", "10"),
        ("0.5", "1"),
        ("1e-1000", "1"),
        ("25", "50"),
        ("1e3", "16"),
    ] {
        assert_eq!(divides(value, divisor), Some(false), "{value} by {divisor}");
    }
    assert_eq!(divides("1", "0"), None);
    assert_eq!(divides("1", "1234567890123456789"), None);
    assert!(divides("1", "123456789012345678").is_some());
}

proptest! {
    #[test]
    fn whole_numbers_agree_with_machine_arithmetic(a in any::<i64>(), b in any::<i64>(), m in 1..1_000_000_i64) {
        let (left, right, divisor) = (a.to_string(), b.to_string(), m.to_string());
        let (left, right, divisor) = (
            Decimal::parse(&left).unwrap(), Decimal::parse(&right).unwrap(), Decimal::parse(&divisor).unwrap(),
        );
        prop_assert_eq!(left.cmp(&right), a.cmp(&b));
        prop_assert_eq!(left.is_multiple_of(&divisor), Some(a % m == 0));
        prop_assert!(left.is_integer());
    }

    #[test]
    fn shifting_the_point_changes_nothing(digits in "[1-9][0-9]{0,20}", shift in 0..40_usize) {
        let plain = normal(&digits);
        prop_assert_eq!(normal(&format!("{digits}{}e-{shift}", "0".repeat(shift))), plain.clone());
        prop_assert_eq!(normal(&format!("0.{}{digits}e{}", "0".repeat(shift), shift + digits.len())), plain.clone());
        // The normal form is its own normal form.
        prop_assert_eq!(normal(&plain), plain);
    }
}
