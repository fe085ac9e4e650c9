use super::*;
use crate::policy::PoolSettings;
use crate::spec::Wishes;

fn wider() -> Wider<'static> {
    static POOLS: std::sync::LazyLock<Pools> = std::sync::LazyLock::new(|| {
        let mut pools = Pools::default();
        pools.insert(&"slow".parse().unwrap(), PoolSettings::halved(8));
        pools
    });
    Wider { limits: Limits::default(), pools: &POOLS, retry: Retry::default(), runs: 3 }
}

fn spec() -> ToolSpec {
    ToolSpec {
        name: "refund".parse().unwrap(),
        title: None,
        description: "Refunds.".into(),
        input_schema: "{}".into(),
        output_schema: None,
        annotations: Annotations { read_only: true, destructive: true, idempotent: true, open_world: false },
        wishes: Wishes {
            requires_approval: true,
            timeout: Some(Duration::from_secs(5)),
            pool: Some("slow".parse().unwrap()),
            delivery: Some(Delivery::AtLeastOnce),
            idempotency_key: Some("refund:{order_id}".into()),
        },
        required_capabilities: vec![],
        examples: vec![],
    }
}

fn effective(trusted: bool, operator: &ToolOverride) -> ToolPolicy {
    ToolPolicy::effective(&spec(), trusted, operator, &wider())
}

#[test]
fn a_stranger_can_only_be_stricter_with_itself() {
    let policy = effective(false, &ToolOverride::default());
    assert!(policy.requires_approval);
    assert_eq!(policy.limits.attempt_timeout, Duration::from_secs(5));
    assert!(!policy.read_only && !policy.idempotent && !policy.annotations.read_only);
    assert_eq!(policy.pool, "default");
    assert_eq!(policy.delivery, Delivery::AtMostOnce);
    assert_eq!(policy.idempotency_key, None);
}

#[test]
fn a_trusted_component_is_taken_at_its_word() {
    let policy = effective(true, &ToolOverride::default());
    assert!(policy.read_only && policy.idempotent);
    assert_eq!(policy.pool, "slow");
    assert_eq!(policy.delivery, Delivery::AtLeastOnce);
    assert_eq!(policy.idempotency_key.as_deref(), Some("refund:{order_id}"));
}

#[test]
fn the_operator_decides() {
    let operator = ToolOverride {
        requires_approval: Some(false),
        read_only: Some(true),
        pool: Some("slow".parse().unwrap()),
        ..ToolOverride::default()
    };
    let policy = effective(false, &operator);
    assert!(!policy.requires_approval && policy.read_only);
    assert_eq!(policy.pool, "slow");
}

#[test]
fn a_longer_timeout_is_clamped_and_shown() {
    let mut spec = spec();
    spec.wishes.timeout = Some(Duration::from_secs(600));
    let policy = ToolPolicy::effective(&spec, true, &ToolOverride::default(), &wider());
    assert_eq!(policy.limits.attempt_timeout, Duration::from_secs(60));
    assert_eq!(policy.clamped_timeout, Some(Duration::from_secs(600)));
}

#[test]
fn an_unknown_pool_of_a_guest_means_the_default_one() {
    let mut spec = spec();
    spec.wishes.pool = Some("nowhere".parse().unwrap());
    let policy = ToolPolicy::effective(&spec, true, &ToolOverride::default(), &wider());
    assert_eq!(policy.pool, "default");
}
