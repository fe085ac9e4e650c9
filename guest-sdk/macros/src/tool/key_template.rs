//! Templates of idempotency keys, such as `refund:{order_id}`.

/// What is wrong with a template: braces that do not match, names that are not parameters, or no name at all.
pub(super) fn faults(template: &str, parameters: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut named = 0;
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (_, from) = rest.split_at(at);
        let Some(inner) = from.strip_prefix('{') else {
            faults.push("`idempotency_key` has a `}` without a `{`".to_owned());
            return faults;
        };
        let Some((name, after)) = inner.split_once('}').filter(|(name, _)| !name.contains('{')) else {
            faults.push("`idempotency_key` has a `{` without a `}`".to_owned());
            return faults;
        };
        named += 1;
        if !parameters.contains(&name) {
            faults.push(format!("`idempotency_key` names `{name}`, which is not a parameter of this tool"));
        }
        rest = after;
    }
    if named == 0 {
        faults.push(
            "`idempotency_key` names no parameter, so that all calls would share one key: write one in braces".to_owned(),
        );
    }
    faults
}
