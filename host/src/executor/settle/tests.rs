use super::*;

fn texts(blocks: &[Content]) -> Vec<&str> {
    blocks
        .iter()
        .map(|block| match block {
            Content::Text(text) => text.as_str(),
            _ => "",
        })
        .collect()
}

#[test]
fn text_is_cut_over_all_blocks_with_one_notice() {
    let blocks = vec![Content::Text("abc".into()), Content::Text("defgh".into()), Content::Text("ij".into())];
    let (kept, truncated) = cut(blocks.clone(), 5);
    assert!(truncated);
    assert_eq!(
        texts(&kept),
        [
            "abc",
            "de...[truncated: 5 more characters were omitted. Narrow the query or request a specific section.]"
        ]
    );
    assert_eq!(cut(blocks.clone(), 10), (blocks, false));
}

#[test]
fn fields_lose_what_a_terminal_would_obey() {
    let link = ResourceLink {
        uri: "file:///a\u{1b}[2J".into(),
        name: "n\u{202e}ame".into(),
        title: None,
        description: Some("\u{e0041}x".into()),
        mime_type: None,
        size: None,
    };
    let (kept, truncated) = cut(vec![Content::Link(link.clone()), Content::Link(link.clone())], 20);
    assert!(truncated, "addresses and names count");
    assert_eq!(kept.len(), 2, "{kept:?}");
    let (kept, _) = cut(vec![Content::Link(link)], 100);
    let [Content::Link(link)] = kept.as_slice() else { panic!("{kept:?}") };
    assert_eq!((link.uri.as_str(), link.name.as_str()), ("file:///a[2J", "name"));
    assert_eq!(link.description.as_deref(), Some("x"));
}

#[test]
fn durations_are_said_as_people_say_them() {
    for (millis, said) in
        [(250, "250ms"), (10_000, "10s"), (1_500, "1.5s"), (120_000, "120s"), (999, "999ms")]
    {
        let failure = Failure::timed_out(Duration::from_millis(millis));
        assert_eq!(failure.message, format!("timed out after {said}"));
    }
}
