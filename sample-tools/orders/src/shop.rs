//! A tenant's customers and orders, as they are before anything happened to them.

use serde::{Deserialize, Serialize};
use toolhost_sdk::{Date, ToolType};

use crate::random::Random;

const CUSTOMERS: usize = 6;
const ORDERS_EACH: usize = 5;
/// The year in which all orders were placed. With today's date in it, the seed would be another one each day.
const YEAR: u16 = 2026;

/// Whether an order can still be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToolType)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// Paid and not yet packed; it can be cancelled.
    Open,
    /// Handed to the carrier.
    Shipped,
    /// Cancelled before it was shipped.
    Cancelled,
}

/// Somebody who buys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToolType)]
pub(crate) struct Customer {
    /// The customer's id, such as `C-1001`.
    pub customer_id: String,
    /// The full name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// The level in the loyalty programme: bronze, silver or gold.
    pub level: String,
}

/// One line of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToolType)]
pub(crate) struct Item {
    /// What was bought.
    pub product: String,
    /// How many.
    pub quantity: u32,
    /// The price of one, in euro cents.
    pub price_cents: u32,
}

/// One order with its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToolType)]
pub(crate) struct Order {
    /// The order's id, such as `O-10001`.
    pub order_id: String,
    /// Whose order it is.
    pub customer_id: String,
    /// The day on which it was placed.
    pub placed: Date,
    /// Whether it can still be changed.
    pub status: Status,
    /// What was bought.
    pub items: Vec<Item>,
    /// The sum of all lines, in euro cents.
    pub total_cents: u32,
    /// Why it was cancelled, if it was.
    pub cancel_reason: Option<String>,
}

/// All that the shop keeps for one tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shop {
    pub(crate) customers: Vec<Customer>,
    pub(crate) orders: Vec<Order>,
}

impl Shop {
    /// The shop of a tenant that has not used it yet: the same each time, and another one for each tenant.
    ///
    /// Every tenant has the ids `C-1001` to `C-1006` and `O-10001` to `O-10030`, so that an id says nothing about
    /// whose it is. Each customer's first order is open.
    pub(crate) fn seed(tenant: &str) -> Self {
        let mut random = Random::from_text(tenant);
        let calendar: Vec<Date> = days().collect();
        let first_name = random.pick(&NAMES).copied();
        let names = NAMES.iter().cycle().skip_while(|name| Some(**name) != first_name);
        let customers: Vec<Customer> =
            names.take(CUSTOMERS).enumerate().map(|(n, name)| customer(n, name, &mut random)).collect();
        let mut orders = Vec::new();
        for customer in &customers {
            for n in 0..ORDERS_EACH {
                let placed = random.pick(&calendar).copied();
                orders.extend(
                    placed.map(|day| order(orders.len(), n, &customer.customer_id, day, &mut random)),
                );
            }
        }
        Self { customers, orders }
    }
}

fn customer(n: usize, name: &str, random: &mut Random) -> Customer {
    Customer {
        customer_id: format!("C-{}", 1001 + n),
        name: name.to_owned(),
        email: format!("{}@mail.example", name.to_lowercase().replace(' ', ".")),
        level: random.pick(&["bronze", "silver", "gold"]).copied().unwrap_or_default().to_owned(),
    }
}

fn order(n: usize, nth_of_customer: usize, customer_id: &str, placed: Date, random: &mut Random) -> Order {
    let status = if nth_of_customer == 0 {
        Status::Open
    } else {
        random
            .pick(&[Status::Open, Status::Shipped, Status::Shipped, Status::Cancelled])
            .copied()
            .unwrap_or(Status::Open)
    };
    let lines = 1 + random.below(3);
    let items: Vec<Item> = (0..lines).filter_map(|_| item(random)).collect();
    Order {
        order_id: format!("O-{}", 10_001 + n),
        customer_id: customer_id.to_owned(),
        placed,
        status,
        total_cents: items.iter().map(|item| item.quantity * item.price_cents).sum(),
        items,
        cancel_reason: (status == Status::Cancelled).then(|| "ordered twice by mistake".to_owned()),
    }
}

fn item(random: &mut Random) -> Option<Item> {
    let (product, price_cents) = random.pick(&PRODUCTS)?;
    Some(Item { product: (*product).to_owned(), quantity: 1 + random.below(3), price_cents: *price_cents })
}

/// All days of the year in order.
pub(crate) fn days() -> impl Iterator<Item = Date> {
    (1..=12).flat_map(|month| (1..=31).filter_map(move |day| Date::new(YEAR, month, day).ok()))
}

const PRODUCTS: [(&str, u32); 12] = [
    ("Tent Heron, two persons", 32_900),
    ("Sleeping bag Alder, down", 24_900),
    ("Jacket Squall, waterproof", 18_950),
    ("Fleece Moss", 7_900),
    ("Boots Ridge", 21_900),
    ("Backpack Porter, 65 litres", 17_500),
    ("Stove Ember", 8_990),
    ("Gas canister, 230 g", 695),
    ("Water filter Brook", 4_490),
    ("Head lamp Owl", 3_990),
    ("Hiking socks, merino", 1_890),
    ("Canoe paddle, ash", 6_450),
];

const NAMES: [&str; 16] = [
    "Amara Diallo",
    "Jonas Weber",
    "Mei Tanaka",
    "Lucia Romero",
    "Piotr Nowak",
    "Ingrid Solberg",
    "Tomasz Zielinski",
    "Chiara Conti",
    "Ravi Menon",
    "Elise Laurent",
    "Oskar Lindgren",
    "Nadia Haddad",
    "Finn Gallagher",
    "Sofia Papadakis",
    "Milan Horvat",
    "Hanna Virtanen",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenants_shop_is_the_same_each_time_and_no_other_tenants() {
        assert_eq!(Shop::seed("acme"), Shop::seed("acme"));
        let (acme, beta) = (Shop::seed("acme"), Shop::seed("beta"));
        assert_ne!(acme.orders, beta.orders);
        let ids = |shop: &Shop| shop.orders.iter().map(|order| order.order_id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&acme), ids(&beta), "an id must not tell whose it is");
    }

    #[test]
    fn sums_names_and_statuses_are_right_for_many_tenants() {
        for n in 0..200 {
            let shop = Shop::seed(&format!("tenant-{n}"));
            assert_eq!((shop.customers.len(), shop.orders.len()), (CUSTOMERS, CUSTOMERS * ORDERS_EACH));
            for (n, order) in shop.orders.iter().enumerate() {
                assert!(!order.items.is_empty());
                assert_eq!(
                    order.total_cents,
                    order.items.iter().map(|item| item.quantity * item.price_cents).sum::<u32>()
                );
                assert_eq!(order.cancel_reason.is_some(), order.status == Status::Cancelled);
                assert!(n % ORDERS_EACH != 0 || order.status == Status::Open);
                assert!(shop.customers.iter().any(|customer| customer.customer_id == order.customer_id));
            }
            let mut names: Vec<_> = shop.customers.iter().map(|customer| &customer.name).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), CUSTOMERS);
        }
    }

    #[test]
    fn the_year_has_all_its_days() {
        assert_eq!(days().count(), 365);
        assert!(days().is_sorted());
    }
}
