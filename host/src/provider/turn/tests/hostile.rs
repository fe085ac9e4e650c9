//! Replies that were tampered with.

use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Replies with anything cut out, doubled or changed are read or refused, and each call has one result.
    #[test]
    fn no_reply_does_more_than_be_refused(
        which in 0..4_usize,
        n_calls in 0..5_usize,
        cut in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let format = WITH_REPLIES[which];
        let calls = vec![(Some("c"), "optional_and_nullable", r#"{"needed":null,"optional":[1,{"a":"b"}]}"#); n_calls];
        let mut text = reply(format, &calls, complete(format)).into_bytes();
        for (at, byte) in &cut {
            let at = at.index(text.len());
            match byte % 3 {
                0 => text[at] = *byte,
                1 => text.truncate(at.max(1)),
                _ => text.insert(at, b"{}[]\",:0"[usize::from(*byte) % 8]),
            }
        }
        let access = Access::everything();
        let wanted = Wanted { format, strict: Strict::Auto, access: &access, narrowed: None };
        if let Ok(turn) = turn(&Exports::default(), &snapshot(vec![]), &wanted, &text) {
            let results = serde_json::to_string(&turn.results(&[])).unwrap();
            let said = results.matches("Error (").count();
            prop_assert_eq!(said, turn.asked.len());
            let n_runs = if turn.cut_off.is_some() { 0 } else { turn.asked.len() };
            prop_assert_eq!(turn.calls(&caller()).len(), n_runs);
        }
    }
}
