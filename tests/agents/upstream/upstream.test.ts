import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE, SECOND } from "../../../packages/server/src/foundation/index.ts";
import { startUpstreamApp, type UpstreamApp } from "./upstream-app.ts";

let upstream: UpstreamApp;

beforeAll(async () => {
  upstream = await startUpstreamApp();
});
beforeEach(async () => {
  await upstream.enter();
  await upstream.connect("ada-desk", "ada");
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
});

/** Also what others have written may lead to writes. */
const freely = {
  preset: "trusted",
  rules: [{ integration: "desk", tainted: true, verdict: "allow" }],
};

const names = ["create_ticket", "delete_ticket", "read_resource", "search_tickets"];

async function allow(allowance: unknown = "all") {
  const answer = await upstream.api("PUT", "/agent/upstreams/desk/allow", { allow: allowance });
  expect(answer).toMatchObject({ status: 200 });
  return answer.data;
}

for (const era of ["modern", "legacy"] as const) {
  test(`agents list and call the tools of a server of the ${era} revisions`, async () => {
    upstream.desk.behave({ era });
    await upstream.refresh();
    const { server } = await allow();
    const { list, call, client } = await upstream.begin({ policy: freely });

    const listed = await list();
    const { tickets } = await call("desk__search_tickets", { query: "printer", limit: 2 });
    const made = await call("desk__create_ticket", { title: "New" });
    const uri = { uri: "ticket://T-1" };
    const read = await client.callTool({ name: "desk__read_resource", arguments: uri });

    expect(server).toMatchObject({ name: "help-desk", version: "1.0.0", protocol: era });
    expect(listed).toEqual([...names.map((name) => `desk__${name}`), "read_result", "accounts"]);
    expect(tickets).toHaveLength(2);
    expect(made).toEqual({ id: "T-501" });
    expect(JSON.stringify(read)).toContain("Printer 1 jams");
    expect(upstream.desk.lastHeaders.authorization).toBe(`Bearer ${upstream.desk.key}`);
  });
}

test("scripts call the tools of a server, in the version that was allowed", async () => {
  await allow();
  const { call } = await upstream.begin({ policy: freely, mode: "code" });
  const code = `const { tickets } = await tools.desk.searchTickets({ query: "printer", limit: 2 });
    const made = await tools.desk.createTicket({ title: "New" });
    return [tickets.length, made.id];`;

  const answer = await call("run_code", { code });

  expect(answer).toMatchObject({ value: [2, "T-501"], calls: 2 });
});

test("nothing is there for agents before somebody has allowed it", async () => {
  const { list } = await upstream.begin();
  const { data } = await upstream.api("GET", "/agent/upstreams/desk");

  expect(await list()).toEqual(["read_result", "accounts"]);
  expect(data.tools).toEqual({ new: 4, allowed: 0, changed: 0, refused: 0, gone: 0 });
  expect(data.list.map(({ name }: { name: string }) => name)).toEqual(names);
});

test("a tool that its server changes is gone with the next list, until the change is accepted", async () => {
  await upstream.api("PATCH", "/environment/webhooks", { primary_url: "https://hooks.example/x" });
  await allow();
  const { list, call } = await upstream.begin({ policy: freely });
  const before = await list();

  upstream.desk.behave({ rug_pull: true });
  upstream.app.clock.advance(2 * MINUTE);
  const after = await list();
  const answer = await call("desk__search_tickets", { query: "printer" });
  const { data } = await upstream.api("GET", "/agent/upstreams/desk");
  const tool = data.list.find(({ name }: { name: string }) => name === "search_tickets");
  const { data: sent } = await upstream.api("GET", "/webhooks/deliveries?type=agent_tool_changed");
  const decision = { decision: "accept", digest: tool.changed.definition.digest, effect: "read" };
  const accepted = await upstream.api(
    "POST",
    "/agent/upstreams/desk/tools/search_tickets",
    decision,
  );
  const again = await list();

  expect(before).toContain("desk__search_tickets");
  expect(after).not.toContain("desk__search_tickets");
  expect(answer).toMatchObject({ code: "unknown_tool" });
  expect(upstream.desk.asked).not.toContain("tools/call search_tickets");
  expect(tool).toMatchObject({ state: "changed" });
  expect(tool.changed.changes).toEqual([
    {
      path: "/description",
      before: '"Finds tickets by words of their title."',
      after: expect.stringContaining("evil.example"),
    },
  ]);
  expect(sent).toHaveLength(1);
  expect(accepted.data.tools).toMatchObject({ allowed: 4, changed: 0 });
  expect(again).toContain("desk__search_tickets");
});

test("a tool that comes later waits, also where the first list was allowed as a whole", async () => {
  await upstream.enter();
  await upstream.api("PUT", "/agent/upstreams/desk/allow", { allow: "read_only" });
  await upstream.connect("ada-desk", "ada");
  const { data } = await upstream.api("GET", "/agent/upstreams/desk");

  upstream.desk.behave({ list: "huge" });
  upstream.app.clock.advance(SECOND);
  await upstream.refresh();
  const { data: later } = await upstream.api("GET", "/agent/upstreams/desk");

  expect(data.tools).toMatchObject({ allowed: 2, new: 2 });
  expect(later.tools).toMatchObject({ allowed: 1, gone: 1 });
  expect(later.tools.new).toBeGreaterThanOrEqual(499);
});

test("what a server claims makes a tool stricter, and never freer", async () => {
  upstream.desk.behave({ lying_hints: true });
  await upstream.enter();
  upstream.desk.behave({ lying_hints: true });
  await upstream.connect("ada-desk", "ada");
  const data = await allow();
  const effects = Object.fromEntries(
    data.list.map(({ name, effect }: { name: string; effect: string }) => [name, effect]),
  );
  const { call } = await upstream.begin({ policy: { preset: "careful" } });

  const asked = await call("desk__delete_ticket", { id: "T-1" });

  expect(effects).toEqual({
    ...{ create_ticket: "write", delete_ticket: "write", search_tickets: "write" },
    read_resource: "write",
  });
  expect(asked).toMatchObject({ code: "approval_required" });
  expect(upstream.desk.asked).not.toContain("tools/call delete_ticket");
});

test("an approved call is sent once, as it was shown", async () => {
  await allow();
  const { call } = await upstream.begin({ policy: { preset: "careful" } });
  const args = { id: "T-7" };

  const waiting = await call("desk__delete_ticket", args);
  const path = `/agent/approvals/${waiting.approval_id}`;
  const { data: shown } = await upstream.api("GET", path);
  await upstream.api("POST", path, { decision: "approve" });
  const done = await call("desk__delete_ticket", args);
  const again = await call("desk__delete_ticket", args);

  expect(shown).toMatchObject({
    ...{ effect: "destructive", input: args },
    request: { call: "mcp", method: "POST", url: upstream.desk.url, body: JSON.stringify(args) },
  });
  expect(done).toEqual({ deleted: true });
  expect(again).toMatchObject({ code: "approval_required" });
  const sent = upstream.desk.asked.filter((each) => each === "tools/call delete_ticket");
  expect(sent).toHaveLength(1);
});

test("a public list is that of all connections, a private one is read for each", async () => {
  upstream.desk.behave({ cache_scope: "public" });
  await upstream.refresh();
  await allow();
  const count = () => upstream.desk.asked.filter((each) => each === "tools/list").length;
  await createSilently("bob-desk", "bob");
  const shared = count();

  const bob = await upstream.begin({ endUserId: "bob" });
  const listed = await bob.list();
  const afterShared = count();
  upstream.desk.behave({ cache_scope: "private" });
  await upstream.refresh();
  await createSilently("eve-desk", "eve");
  const ownBefore = count();
  const eve = await upstream.begin({ endUserId: "eve" });
  const own = await eve.list();

  expect(listed).toContain("desk__search_tickets");
  expect(afterShared).toBe(shared);
  expect(own).toContain("desk__search_tickets");
  expect(count()).toBe(ownBefore + 1);
});

/** A connection whose list nobody has read. */
async function createSilently(connectionId: string, endUserId: string): Promise<void> {
  const { status } = await upstream.api("POST", "/connections", {
    ...{ provider_config_key: "desk", connection_id: connectionId },
    ...{ connection_config: { mcp_server_url: upstream.desk.url } },
    ...{ credentials: { type: "API_KEY", apiKey: upstream.desk.key } },
    tags: { end_user_id: endUserId },
  });
  expect(status).toBe(201);
}

test("a session of an earlier revision is kept for a session's calls, and begun again when it is lost", async () => {
  upstream.desk.behave({ era: "legacy" });
  await upstream.refresh();
  await allow();
  const { call } = await upstream.begin({ policy: freely });
  const initialized = () => upstream.desk.asked.filter((each) => each === "initialize").length;

  await call("desk__search_tickets", { query: "printer" });
  const first = initialized();
  await call("desk__search_tickets", { query: "screen" });
  const second = initialized();
  upstream.desk.behave({ lost_sessions: true });
  const { tickets } = await call("desk__search_tickets", { query: "jams", limit: 1 });

  expect(second).toBe(first);
  expect(tickets).toHaveLength(1);
  expect(initialized()).toBe(second + 1);
});

test("a list that its server calls changed is read again at the next use", async () => {
  await allow();
  const { list, call } = await upstream.begin({ policy: freely });
  upstream.desk.behave({ call: "list_changed_flood", rug_pull: true });
  await call("desk__search_tickets", { query: "printer", limit: 1 });
  upstream.app.clock.advance(10 * SECOND);

  const listed = await list();

  expect(listed).not.toContain("desk__search_tickets");
});

test("the pass-through gives a client the server itself, with the stored credentials", async () => {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "plain", version: "1" },
    { versionNegotiation: { mode: "auto" } },
  );
  const url = new URL("/mcp/connections/desk/ada-desk", upstream.url);
  await client.connect(new StreamableHTTPClientTransport(url));

  const { tools } = await client.listTools();
  const args = { query: "printer", limit: 1 };
  const result = await client.callTool({ name: "search_tickets", arguments: args });

  expect(tools.map(({ name }) => name)).toContain("search_tickets");
  expect(result.structuredContent ?? result.content).toBeTruthy();
  expect(upstream.desk.lastHeaders.authorization).toBe(`Bearer ${upstream.desk.key}`);
});
