//! Customers and orders of a shop: the tenant's context, the host's store, and a side effect that asks for approval.

mod random;
mod shelf;
mod shop;

use serde::{Deserialize, Serialize};
use toolhost_sdk::{Context, Date, ToolError, ToolResult, ToolType, tool};

use crate::shop::{Customer, Order, Status};

const REASON_CHARS: usize = 500;

/// Returns one customer's name, e-mail address and loyalty level. Use it when you know the customer's id; for what a
/// customer bought use `find_orders`. It has no side effect.
#[tool(title = "Get a customer", read_only, idempotent)]
fn get_customer(
    ctx: &Context,
    /// The customer's id, such as `C-1001`.
    customer_id: String,
) -> Result<Customer, ToolError> {
    let shop = shelf::load(ctx)?;
    shop.customers
        .into_iter()
        .find(|customer| customer.customer_id == customer_id)
        .ok_or_else(|| no_customer(&customer_id))
}

/// Returns one order with its lines, sum and status. Use it when you know the order's id; if you only know the customer
/// use `find_orders`, and to cancel it use `cancel_order`. It has no side effect.
#[tool(title = "Get an order", read_only, idempotent)]
fn get_order(
    ctx: &Context,
    /// The order's id, such as `O-10001`.
    order_id: String,
) -> Result<Order, ToolError> {
    let shop = shelf::load(ctx)?;
    shop.orders.into_iter().find(|order| order.order_id == order_id).ok_or_else(|| no_order(&order_id))
}

/// Lists a customer's orders, the newest first, and says how many there are in all. Do not use it when you know the
/// order's id; then use `get_order`. It has no side effect.
#[tool(title = "Find orders", read_only, idempotent)]
fn find_orders(
    ctx: &Context,
    /// The customer's id, such as `C-1001`.
    customer_id: String,
    /// Only orders with this status.
    #[arg(default = Wanted::Any)]
    status: Wanted,
    /// Only orders that were placed on this day or later.
    since: Option<Date>,
    /// The most orders to list.
    #[arg(default = 20)]
    limit: u32,
) -> Result<FoundOrders, ToolError> {
    let shop = shelf::load(ctx)?;
    if !shop.customers.iter().any(|customer| customer.customer_id == customer_id) {
        return Err(no_customer(&customer_id));
    }
    let mut orders: Vec<Order> = shop
        .orders
        .into_iter()
        .filter(|order| order.customer_id == customer_id && status.fits(order.status))
        .filter(|order| since.is_none_or(|since| order.placed >= since))
        .collect();
    orders.sort_by(|a, b| (b.placed, &b.order_id).cmp(&(a.placed, &a.order_id)));
    let matching = u32::try_from(orders.len()).unwrap_or(u32::MAX);
    orders.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(FoundOrders { matching, orders })
}

/// Cancels an open order for good and returns it as it is then. Only open orders can be cancelled; a shipped one has to
/// be returned by the customer. Do not use it to look at an order; for that use `get_order`. It has a side effect, and a
/// person has to approve it first.
#[tool(title = "Cancel an order", destructive, idempotent, requires_approval)]
fn cancel_order(
    ctx: &Context,
    /// The order's id, such as `O-10001`.
    order_id: String,
    /// Why it is cancelled, in the customer's words, in at most 500 characters.
    reason: String,
) -> Result<Order, ToolError> {
    if reason.chars().count() > REASON_CHARS {
        return Err(ToolError::new(format!(
            "The reason is too long. Say it in at most {REASON_CHARS} characters."
        )));
    }
    shelf::update(ctx, |shop| {
        let order = shop
            .orders
            .iter_mut()
            .find(|order| order.order_id == order_id)
            .ok_or_else(|| no_order(&order_id))?;
        match order.status {
            Status::Open => {
                order.status = Status::Cancelled;
                order.cancel_reason = Some(reason.clone());
            }
            // What was asked for is so already; the first reason stays.
            Status::Cancelled => {}
            Status::Shipped => {
                return Err(ToolError::with_kind(
                    "AlreadyShipped",
                    format!(
                        "The order '{order_id}' is shipped and cannot be cancelled. The customer can return it."
                    ),
                ));
            }
        }
        Ok(order.clone())
    })
}

/// Returns the account of every customer on every day of the year, as JSON text of some 200 KB. It is far too long to
/// be read in a conversation; for one customer use `find_orders`. It has no side effect.
#[tool(title = "Build the yearly report", read_only, idempotent)]
fn build_report(ctx: &Context) -> Result<ToolResult, ToolError> {
    let shop = shelf::load(ctx)?;
    let mut rows = Vec::new();
    for date in shop::days() {
        for customer in &shop.customers {
            let mut row = ReportRow {
                date,
                customer_id: &customer.customer_id,
                open: 0,
                shipped: 0,
                cancelled: 0,
                cents: 0,
            };
            let until_then = shop
                .orders
                .iter()
                .filter(|order| order.customer_id == customer.customer_id && order.placed <= date);
            for order in until_then {
                match order.status {
                    Status::Open => row.open += 1,
                    Status::Shipped => row.shipped += 1,
                    Status::Cancelled => row.cancelled += 1,
                }
                if order.status != Status::Cancelled {
                    row.cents += u64::from(order.total_cents);
                }
            }
            rows.push(row);
        }
    }
    let text = serde_json::to_string(&rows).map_err(ToolError::from_error)?;
    Ok(ToolResult::text(text))
}

toolhost_sdk::export!(get_customer, get_order, find_orders, cancel_order, build_report);

/// Which orders are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToolType)]
#[serde(rename_all = "snake_case")]
enum Wanted {
    Open,
    Shipped,
    Cancelled,
    Any,
}

impl Wanted {
    fn fits(self, status: Status) -> bool {
        match self {
            Self::Open => status == Status::Open,
            Self::Shipped => status == Status::Shipped,
            Self::Cancelled => status == Status::Cancelled,
            Self::Any => true,
        }
    }
}

/// The orders that were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToolType)]
struct FoundOrders {
    /// How many orders match, listed or not.
    matching: u32,
    /// The newest of them, at most as many as the limit.
    orders: Vec<Order>,
}

/// One customer's account at the end of one day.
#[derive(Serialize)]
struct ReportRow<'a> {
    date: Date,
    customer_id: &'a str,
    open: u32,
    shipped: u32,
    cancelled: u32,
    cents: u64,
}

fn no_customer(id: &str) -> ToolError {
    ToolError::with_kind(
        "NotFound",
        format!("There is no customer '{id}'. Ids look like 'C-1001'; ask for the right one."),
    )
}

fn no_order(id: &str) -> ToolError {
    ToolError::with_kind(
        "NotFound",
        format!("There is no order '{id}'. Ids look like 'O-10001'; find_orders lists those of a customer."),
    )
}

#[cfg(test)]
mod tests;
