// What every TypeScript client checks, whatever its version. A failed check ends the program with its sentence.

import { isDeepStrictEqual } from "node:util";
import { readFileSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const SAMPLES = [
  "allocate", "build_report", "cancel_order", "crash", "customer_overview", "fail", "find_orders", "flood", "get_customer", "get_order",
  "multiply", "recurse", "search_documents", "sleep", "spin",
];

// The smallest whole number that a double cannot hold, as text: JSON.parse would round it.
const LARGE = "9007199254740993";
const ALMOST_AS_LARGE = 9007199254740991;

/** Says that something was checked, or ends the program. */
export function check(holds, what, seen) {
  if (!holds) {
    console.error(`FAILED: ${what}. Seen: ${JSON.stringify(seen)}`);
    process.exit(1);
  }
  console.log(`  ok  ${what}`);
}

/** The same for two values that must be equal. */
export function expect(seen, wanted, what) {
  check(isDeepStrictEqual(seen, wanted), what, seen);
}

/** The sample tools over one connection to the server with the shipped configuration. */
export async function samples(client, revision) {
  await listing(client, revision);
  await calls(client, revision);
}

async function listing(client, revision) {
  const { tools } = await client.listTools();
  const named = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  expect(tools.map((tool) => tool.name), SAMPLES, "exactly the sample tools are listed, in order");
  check(tools.every((tool) => tool.description), "every tool has a description");
  expect(named.multiply.title, "Multiply", "multiply has its title");
  expect(
    named.multiply.annotations,
    { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    "all four annotations of multiply are written out",
  );
  expect(named.multiply.inputSchema.properties.b.default, 1, "b has its default");
  expect(named.multiply.inputSchema.additionalProperties, false, "unknown arguments are refused by the schema");
  if (revision < "2026") {
    const schemas = tools.map((tool) => tool.outputSchema).filter((schema) => schema !== undefined);
    check(schemas.every((schema) => schema.type === "object"), "output schemas are objects, as this revision wants");
  }
}

async function calls(client, revision) {
  const product = await client.callTool({ name: "multiply", arguments: { a: 6, b: 7 } });
  expect([text(product), product.isError ?? false], ["42", false], "multiply answers 42");
  const large = await client.callTool({ name: "multiply", arguments: { a: ALMOST_AS_LARGE } });
  expect(text(large), String(ALMOST_AS_LARGE), "every digit comes back as text");
  if (revision >= "2026") {
    expect(large.structuredContent, ALMOST_AS_LARGE, "every digit comes back in structuredContent");
  }
  const sum = await client.callTool({ name: "multiply", arguments: { a: 3002399751580331, b: 3 } });
  expect(text(sum), LARGE, "a product that JavaScript cannot hold is whole in the text");

  const found = await client.callTool({ name: "find_orders", arguments: { customer_id: "C-1001", limit: 2 } });
  check(!found.isError && found.structuredContent.matching >= 2, "find_orders finds orders", found);
  expect(found.structuredContent, JSON.parse(text(found)), "structuredContent and text say the same");

  const passages = await client.callTool({
    name: "search_documents",
    arguments: { query: "return a rented tent" },
  });
  check(!passages.isError && text(passages).length > 100, "search_documents finds passages", passages);

  const failed = await client.callTool({ name: "fail", arguments: {} });
  check(failed.isError && text(failed).startsWith("Error (ToolError): The tool failed"), "fail fails", failed);
  outcome(failed, "tool_error", "ToolError", true);

  const wrong = await client.callTool({ name: "find_orders", arguments: { customer_id: 7, colour: "red" } });
  check(
    wrong.isError && text(wrong).includes("customer_id") && text(wrong).includes("colour"),
    "wrong arguments are a result that names every fault",
    wrong,
  );
  outcome(wrong, "bad_args", "InvalidArguments", true);

  const waiting = await client.callTool({
    name: "cancel_order",
    arguments: { order_id: "O-10001", reason: "Ordered twice." },
  });
  outcome(waiting, "needs_approval", "ApprovalRequired", false);

  const unknown = await client.callTool({ name: "multiplicate", arguments: {} }).then(
    () => undefined,
    (error) => error,
  );
  expect(unknown?.code, -32602, "an unknown tool is the protocol error -32602");
  check(
    unknown.message.includes("There is no tool named 'multiplicate'. Available tools: multiply, "),
    "its text names the nearest tool first",
    unknown.message,
  );
}

function outcome(result, code, type, retryable) {
  const seen = result._meta?.["toolhost/outcome"] ?? {};
  expect([seen.code, seen.type, seen.retryable], [code, type, retryable], `_meta toolhost/outcome says ${code}`);
  check(result.isError && seen.call_id?.length > 10, "and the call id", seen);
}

/** A call that the client gives up ends at the server, too: `spin` computes until something stops it. */
export async function cancelled(client, spinning, giveUp, pid) {
  const ended = spinning.then(
    () => "answered",
    () => "given up",
  );
  await until(async () => (await used(pid, 200)) >= 4, "spin starts");
  giveUp.abort();
  expect(await ended, "given up", "the client gives spin up");
  await until(async () => (await used(pid, 500)) <= 12, "a cancelled spin leaves the server idle");
  const after = await client.callTool({ name: "multiply", arguments: { a: 2 } });
  expect(text(after), "2", "and the connection goes on");
}

/**
 * News of a call come before its answer, in order. A client that handles an answer before the news that it read just
 * before forgets the last of them: `forgetful`.
 */
export async function progress(client, call, { forgetful = false } = {}) {
  const news = [];
  const answer = await call(client, "test_tool_with_progress", {
    onprogress: ({ progress: done, total }) => news.push([done, total]),
  });
  check(!answer.isError, "the tool with progress answers", answer);
  const steps = [[0, 100], [50, 100], [100, 100]];
  if (forgetful) {
    expect(news, steps.slice(0, news.length), "its steps were told in order");
    check(news.length >= 2, "all but the last for certain", news);
  } else {
    expect(news, steps, "its three steps were told");
  }
}

/** The key alone says whose orders are seen; both tenants ask with the same arguments at the same time. */
export async function tenants(acme, globex) {
  const ask = (client) => client.callTool({ name: "find_orders", arguments: { customer_id: "C-1001" } }).then(text);
  const answers = await Promise.all([acme, globex, acme, globex].map(ask));
  check(answers[0] !== answers[1], "two tenants see different orders");
  expect(answers.slice(2), answers.slice(0, 2), "and each sees its own, in parallel");
  const names = (await globex.listTools()).tools.map((tool) => tool.name);
  check(names.includes("multiply") && !names.includes("cancel_order"), "a denied tool is not listed", names);
  const denied = await globex.callTool({ name: "cancel_order", arguments: { order_id: "O-10001", reason: "no" } });
  outcome(denied, "not_allowed", "NotAllowed", false);
}

/** A key that nobody has opens nothing. */
export async function refused(connecting) {
  const failure = await connecting.then(
    () => undefined,
    (error) => error,
  );
  check(failure !== undefined, `a wrong key is refused (${failure?.constructor.name})`);
}

/** The server that this program started last. */
export function child() {
  const program = realpathSync(process.env.HOST);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      const parent = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[1]);
      return parent === process.pid && readlinkSync(`/proc/${pid}/exe`) === program;
    } catch {
      // It ended in the meantime.
      return false;
    }
  });
  check(pids.length > 0, "the server is a child of this program");
  return Math.max(...pids.map(Number));
}

function text(result) {
  return result.content.map((block) => block.text).join("\n");
}

/** How many hundredths of a second of processor time a process uses in a while. */
async function used(pid, milliseconds) {
  const before = ticks(pid);
  await pause(milliseconds);
  return ticks(pid) - before;
}

function ticks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

async function until(holds, what) {
  const deadline = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > deadline) check(false, what, "not within 20 s");
  }
  check(true, what);
}
