// The TypeScript client of revision 2026-07-28 (`@modelcontextprotocol/client`), over Streamable HTTP and standard
// input and output.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import * as checks from "./checks.mjs";

const REVISION = "2026-07-28";
const { HOST, SHIPPED_URL, SHIPPED_PID, SHIPPED_FOLDER, KEYED_URL, KEYED_FOLDER, ACME_KEY, GLOBEX_KEY, PATH } =
  process.env;

async function connected(transport) {
  const client = new Client({ name: "toolhost-test", version: "0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(transport);
  checks.expect(client.getNegotiatedProtocolVersion(), REVISION, `the revision is ${REVISION}`);
  return client;
}

function overHttp(url, key) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  return connected(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
}

function overPipes(cwd, key) {
  const env = key ? { PATH, TOOLHOST_KEY: key } : { PATH };
  return connected(new StdioClientTransport({ command: HOST, args: ["serve", "--stdio"], cwd, env, stderr: "ignore" }));
}

const call = (client, name, options) => client.callTool({ name, arguments: {} }, options);

async function cancellation(client, pid) {
  const giveUp = new AbortController();
  await checks.cancelled(client, call(client, "spin", { signal: giveUp.signal }), giveUp, pid);
}

console.log("Streamable HTTP:");
const plain = await overHttp(SHIPPED_URL);
await checks.samples(plain, REVISION);
await cancellation(plain, SHIPPED_PID);
await plain.close();

console.log("Streamable HTTP, with keys:");
const [acme, globex] = [await overHttp(KEYED_URL, ACME_KEY), await overHttp(KEYED_URL, GLOBEX_KEY)];
await checks.tenants(acme, globex);
await checks.progress(acme, call);
await checks.refused(overHttp(KEYED_URL, "wrong"));
await acme.close();
await globex.close();

console.log("Standard input and output:");
const piped = await overPipes(SHIPPED_FOLDER);
await checks.samples(piped, REVISION);
await cancellation(piped, checks.child());
await piped.close();

console.log("Standard input and output, with a key:");
const keyed = await overPipes(KEYED_FOLDER, ACME_KEY);
await checks.progress(keyed, call, { forgetful: true });
await keyed.close();
