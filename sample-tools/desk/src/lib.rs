//! A help desk: a tool that calls other tools, through all gates, for the same caller.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolhost_sdk::{Context, ToolError, ToolType, tool};

/// What somebody at the desk has to know first.
#[derive(Debug, PartialEq, Serialize, Deserialize, ToolType)]
struct Overview {
    /// The customer's full name.
    name: String,
    /// How many orders the customer has.
    orders: u64,
    /// How many of them are still open.
    open: u64,
    /// The id of the newest order; none without any order.
    newest: Option<String>,
}

/// Returns a customer's name and how many orders there are, in one call instead of two. Use it at the beginning of a
/// conversation; for the orders themselves use `find_orders`, for the address `get_customer`. It has no side effect.
#[tool(title = "Overview of a customer", read_only, idempotent)]
fn customer_overview(
    ctx: &Context,
    /// The customer's id, such as `C-1001`.
    customer_id: String,
) -> Result<Overview, ToolError> {
    let ask = |tool: &str, arguments: Value| -> Result<Value, ToolError> {
        let answer = ctx.invoke(tool, &arguments).map_err(ToolError::from_error)?;
        answer.structured.ok_or_else(|| ToolError::new(format!("The tool '{tool}' returned no value.")))
    };
    let customer = ask("get_customer", json!({"customer_id": &customer_id}))?;
    let all = ask("find_orders", json!({"customer_id": &customer_id, "limit": 1}))?;
    let open = ask("find_orders", json!({"customer_id": &customer_id, "status": "open", "limit": 1}))?;
    let text = |value: &Value, pointer: &str| value.pointer(pointer)?.as_str().map(str::to_owned);
    let count = |found: &Value| found.get("matching").and_then(Value::as_u64).unwrap_or_default();
    Ok(Overview {
        name: text(&customer, "/name").unwrap_or_default(),
        orders: count(&all),
        open: count(&open),
        newest: text(&all, "/orders/0/order_id"),
    })
}

toolhost_sdk::export!(customer_overview);

#[cfg(test)]
mod tests {
    use toolhost_sdk::Invoked;
    use toolhost_sdk::testing::{self, FakeContext};

    use super::*;

    fn answer(structured: Value) -> Invoked {
        Invoked { structured: Some(structured), ..Invoked::default() }
    }

    #[test]
    fn the_host_takes_it() {
        assert_eq!(testing::admit(&[&customer_overview {}]), Ok(()));
    }

    #[test]
    fn two_tools_are_asked_and_summed_up() {
        let shop = FakeContext::new()
            .tool("get_customer", |_| Ok(answer(json!({"name": "Ada Byron"}))))
            .tool("find_orders", |asked| {
                let matching = if asked.get("status").is_some() { 1 } else { 3 };
                Ok(answer(json!({"matching": matching, "orders": [{"order_id": "O-3"}]})))
            });
        let seen = testing::call(&customer_overview {}, &shop, r#"{"customer_id": "C-1001"}"#);
        assert_eq!(
            seen.structured,
            Some(json!({"name": "Ada Byron", "orders": 3, "open": 1, "newest": "O-3"})),
            "{}",
            seen.text
        );
    }

    #[test]
    fn a_refusal_is_passed_on_in_its_own_words() {
        let seen = testing::call(&customer_overview {}, &FakeContext::new(), r#"{"customer_id": "C-1001"}"#);
        assert!(
            seen.is_error && seen.text.contains("There is no tool named 'get_customer'"),
            "{}",
            seen.text
        );
    }
}
