// The TypeScript client of the revisions before 2026-07-28 (`@modelcontextprotocol/sdk`), over Streamable HTTP and
// standard input and output.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import * as checks from "./checks.mjs";

const REVISION = "2025-11-25";
const { HOST, SHIPPED_URL, SHIPPED_FOLDER, KEYED_URL, KEYED_FOLDER, ACME_KEY, GLOBEX_KEY, PATH } = process.env;

async function connected(transport) {
  const client = new Client({ name: "toolhost-test", version: "0" });
  await client.connect(transport);
  return client;
}

async function overHttp(url, key) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const client = await connected(transport);
  checks.expect(transport.protocolVersion, REVISION, `the revision is ${REVISION}`);
  checks.expect(transport.sessionId, undefined, "there is no session");
  return client;
}

function overPipes(cwd, key) {
  const env = key ? { PATH, TOOLHOST_KEY: key } : { PATH };
  return connected(new StdioClientTransport({ command: HOST, args: ["serve", "--stdio"], cwd, env, stderr: "ignore" }));
}

const call = (client, name, options) => client.callTool({ name, arguments: {} }, undefined, options);

console.log("Streamable HTTP:");
const plain = await overHttp(SHIPPED_URL);
await checks.samples(plain, REVISION);
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
const giveUp = new AbortController();
await checks.cancelled(piped, call(piped, "spin", { signal: giveUp.signal }), giveUp, checks.child());
await piped.close();

console.log("Standard input and output, with a key:");
const keyed = await overPipes(KEYED_FOLDER, ACME_KEY);
await checks.progress(keyed, call, { forgetful: true });
await keyed.close();
