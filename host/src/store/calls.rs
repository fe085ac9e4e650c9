//! The table of calls: writing records in groups, reading one back, recovering and pruning.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::error::BoxDynError;
use sqlx::{Any, AnyConnection, AnyPool, Arguments as _, Row as _};

use super::View;
use super::clock::{column, figure};
use super::database::{Database, Kind};
use super::error::StoreError;
use super::log::{Row, Text};
use super::record::CallRecord;
use crate::id::CallId;
use crate::spec::Gate;

/// Rows of one statement. Few sizes, so that the statements stay prepared.
const CHUNKS: [usize; 3] = [64, 8, 1];
/// Rows that one transaction of pruning removes, so that calls are recorded in between.
pub(super) const PRUNED_AT_ONCE: i64 = 2_000;

/// Removes ended calls that began before a moment, up to a number.
pub(super) const PRUNE: &str = "DELETE FROM calls WHERE call_id IN (SELECT call_id FROM calls \
    WHERE started_unix_ms < $1 AND code <> 'executing' ORDER BY started_unix_ms LIMIT $2)";

const COLUMNS: &str = "call_id, tenant, user_id, run_id, tool, component, surface, side_effect, \
    started_unix_ms, wall_ms, fuel, memory_peak_bytes, attempt, code, gate, kind, message, operator, arguments, \
    raw_content, raw_structured, events, node";
/// A call that began has a row already, and a group that is written again after a doubtful commit has them all.
const UPDATE: &str = " ON CONFLICT (call_id) DO UPDATE SET component = excluded.component, \
    side_effect = excluded.side_effect, wall_ms = excluded.wall_ms, fuel = excluded.fuel, \
    memory_peak_bytes = excluded.memory_peak_bytes, attempt = excluded.attempt, code = excluded.code, \
    gate = excluded.gate, kind = excluded.kind, message = excluded.message, operator = excluded.operator, \
    raw_content = excluded.raw_content, raw_structured = excluded.raw_structured, events = excluded.events";

/// How many columns there are.
const WIDTH: usize = 23;

/// Statements for groups of rows, one for each size of [`CHUNKS`].
type Inserts = [String; CHUNKS.len()];

static POSTGRES_INSERTS: LazyLock<Inserts> = LazyLock::new(|| inserts(|number| format!("${number}")));
/// SQLite finds a numbered parameter by looking through all of them, which for so many costs more than the rows.
static SQLITE_INSERTS: LazyLock<Inserts> = LazyLock::new(|| inserts(|_| "?".to_owned()));

fn inserts(parameter: impl Fn(usize) -> String) -> Inserts {
    CHUNKS.map(|rows| {
        let row = |at: usize| {
            let parameters: Vec<String> = (1..=WIDTH).map(|column| parameter(at * WIDTH + column)).collect();
            format!("({})", parameters.join(", "))
        };
        let rows: Vec<String> = (0..rows).map(row).collect();
        format!("INSERT INTO calls ({COLUMNS}) VALUES {}{UPDATE}", rows.join(", "))
    })
}

/// Writes rows in one transaction. Of two of one call the later counts.
pub(super) async fn insert<'a>(
    database: &Database,
    node: &str,
    rows: impl Iterator<Item = &'a Row>,
) -> Result<(), sqlx::Error> {
    let rows = latest(rows);
    let mut transaction = database.begin_beside_others().await?;
    let mut rest = rows.as_slice();
    let inserts = match database.kind() {
        Kind::Sqlite => &*SQLITE_INSERTS,
        Kind::Postgres => &*POSTGRES_INSERTS,
    };
    for (size, statement) in CHUNKS.into_iter().zip(inserts) {
        while let Some((chunk, after)) = rest.split_at_checked(size) {
            insert_chunk(&mut transaction, statement, node, chunk).await?;
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    transaction.commit().await
}

/// The columns as they are read: a sum has no type of its own in SQLite, whose BOOLEAN the driver does not read.
static ONE: LazyLock<String> = LazyLock::new(|| {
    let columns = COLUMNS.replace("side_effect", "side_effect + 0 AS side_effect");
    format!("SELECT {columns} FROM calls WHERE call_id = $1")
});
static OF_TENANT: LazyLock<String> = LazyLock::new(|| format!("{} AND tenant = $2", *ONE));

/// One call, if there is one that the viewer may see.
pub(super) async fn read(
    pool: &AnyPool,
    view: View<'_>,
    call: &CallId,
) -> Result<Option<CallRecord>, StoreError> {
    const WHAT: &str = "read a trace";
    let row = match view {
        View::Operator => sqlx::query(ONE.as_str()).bind(call.as_str().to_owned()),
        View::Tenant(tenant) => {
            sqlx::query(OF_TENANT.as_str()).bind(call.as_str().to_owned()).bind(tenant.as_str().to_owned())
        }
    };
    let row = row.fetch_optional(pool).await.map_err(|source| StoreError::query(WHAT, source))?;
    row.map(|row| record(&row, call)).transpose()
}

/// The processes that have calls which have begun and not ended.
pub(super) async fn executing_nodes(database: &Database) -> Result<BTreeSet<String>, StoreError> {
    const ASK: &str = "SELECT DISTINCT node FROM calls WHERE code = 'executing'";
    database.texts("settle lost calls", ASK).await
}

/// Settles the calls that a dead process had begun. Gives their number.
pub(super) async fn settle_lost(database: &Database, node: &str) -> Result<u64, StoreError> {
    let statement = sqlx::query(
        "UPDATE calls SET code = 'outcome_unknown', kind = 'OutcomeUnknown', \
         operator = 'the process that ran the call died' WHERE code = 'executing' AND node = $1",
    );
    database.write("settle lost calls", statement.bind(node.to_owned())).await
}

/// One row for each call, in order: one statement may not touch a row twice.
fn latest<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<&'a Row> {
    let mut kept: Vec<&Row> = Vec::new();
    let mut places: HashMap<Option<&str>, usize> = HashMap::new();
    for row in rows {
        let place = *places.entry(row.text(Text::CallId)).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(earlier) => *earlier = row,
            None => kept.push(row),
        }
    }
    kept
}

async fn insert_chunk(
    connection: &mut AnyConnection,
    statement: &'static str,
    node: &str,
    chunk: &[&Row],
) -> Result<(), sqlx::Error> {
    let mut arguments = AnyArguments::default();
    arguments.reserve(chunk.len() * WIDTH, 0);
    for row in chunk {
        bind(&mut arguments, row, node).map_err(sqlx::Error::Encode)?;
    }
    sqlx::query_with(statement, arguments).execute(connection).await?;
    Ok(())
}

/// Adds a row's values, in the order of [`COLUMNS`].
fn bind(arguments: &mut AnyArguments, row: &Row, node: &str) -> Result<(), BoxDynError> {
    let figures = &row.figures;
    let text = |column| row.text(column).map(text_column);
    for column in [Text::CallId, Text::Tenant, Text::User, Text::Run, Text::Tool] {
        arguments.add(text(column))?;
    }
    arguments.add(figures.component.as_ref().map(ToString::to_string))?;
    arguments.add(text(Text::Surface))?;
    arguments.add(i64::from(figures.side_effect))?;
    for figure in [figures.started_unix_ms, figures.wall_ms, figures.fuel, figures.memory_peak_bytes] {
        arguments.add(column(figure))?;
    }
    arguments.add(i64::from(figures.attempt))?;
    arguments.add(text(Text::Code))?;
    arguments.add(figures.gate.map(|gate| i64::from(gate.number())))?;
    for column in [
        Text::Kind,
        Text::Message,
        Text::Operator,
        Text::Arguments,
        Text::RawContent,
        Text::RawStructured,
        Text::Events,
    ] {
        arguments.add(text(column))?;
    }
    arguments.add(node)
}

/// A text as both databases hold it: PostgreSQL has no NUL in its texts.
fn text_column(text: &str) -> String {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text.to_owned() }
}

fn record(row: &AnyRow, call: &CallId) -> Result<CallRecord, StoreError> {
    let damaged = |column| move || StoreError::Damaged { column, id: call.to_string() };
    let gate: Option<i64> = get(row, "gate")?;
    let gate = match gate {
        None => None,
        Some(number) => Some(
            Gate::ALL
                .into_iter()
                .find(|gate| i64::from(gate.number()) == number)
                .ok_or_else(damaged("gate"))?,
        ),
    };
    let events: Option<String> = get(row, "events")?;
    let events = match events {
        None => Vec::new(),
        Some(text) => serde_json::from_str(&text).map_err(|_| damaged("events")())?,
    };
    let user: Option<String> = get(row, "user_id")?;
    let component: Option<String> = get(row, "component")?;
    let surface: String = get(row, "surface")?;
    Ok(CallRecord {
        call_id: call.clone(),
        tenant: get::<String>(row, "tenant")?.parse().map_err(|_| damaged("tenant")())?,
        user: user.map(|it| it.parse()).transpose().map_err(|_| damaged("user_id")())?,
        run: get::<String>(row, "run_id")?.parse().map_err(|_| damaged("run_id")())?,
        tool: get(row, "tool")?,
        component: component.map(|it| it.parse()).transpose().map_err(|_| damaged("component")())?,
        surface: ["cli", "mcp", "http"].into_iter().find(|it| *it == surface).unwrap_or("other"),
        side_effect: get::<i64>(row, "side_effect")? != 0,
        started_unix_ms: figure(get(row, "started_unix_ms")?),
        wall_ms: figure(get(row, "wall_ms")?),
        fuel: figure(get(row, "fuel")?),
        memory_peak_bytes: figure(get(row, "memory_peak_bytes")?),
        attempt: u32::try_from(get::<i64>(row, "attempt")?).map_err(|_| damaged("attempt")())?,
        code: get::<String>(row, "code")?.into(),
        gate,
        kind: get(row, "kind")?,
        message: get(row, "message")?,
        operator: get(row, "operator")?,
        arguments: get(row, "arguments")?,
        raw_content: get(row, "raw_content")?,
        raw_structured: get(row, "raw_structured")?,
        events,
    })
}

pub(super) fn get<'r, T>(row: &'r AnyRow, name: &str) -> Result<T, StoreError>
where
    T: sqlx::Decode<'r, Any> + sqlx::Type<Any>,
{
    row.try_get(name).map_err(|source| StoreError::query("read a row", source))
}
