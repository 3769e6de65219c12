import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { CLIENT, startIdentityProvider } from "#people/testing";
import { Browser } from "../../testing/browser.ts";
import { type OauthApp, startOauthApp } from "../../testing/oauth-app.ts";

const input = { type: "object", properties: { note: { type: "string" } } };

let app: OauthApp;
beforeAll(async () => {
  app = await startOauthApp();
  const note = `await svc.updateMetadata({ note: input.note }); return "noted";`;
  await app.deploy("note", note, { effect: "write", title: "Add a note" }, input);
  await app.deploy("wipe", "await svc.setMetadata({}); return 1;", "destructive");
  await app.deploy("look", "return await svc.getMetadata();", "read");
  await app.putToolset("helper", { policy: { preset: "careful", approver: "end_user" } });
});
beforeEach(() => {
  app.signedIn = "ada";
  app.app.clock.advance(MINUTE);
});
afterAll(async () => await app[Symbol.asyncDispose]());

type Options = NonNullable<ConstructorParameters<typeof Client>[1]>;

async function begin(toolset = "helper", options: Options = {}) {
  const body = { toolset, end_user_id: "ada" };
  const { token } = (await app.api("POST", "/agent/sessions", body)).body.data;
  const client = new Client({ name: "test", version: "1" }, options);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL(`${app.url}/mcp/${toolset}`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    app.app.clock.advance(1);
    const { content } = await client.callTool({ name: `crm__${name}`, arguments: args });
    const [first] = content;
    return JSON.parse(first?.type === "text" ? first.text : "null");
  };
  return { call };
}

test("the end user sees the call, approves it, and the agent makes it once", async () => {
  const { call } = await begin();
  const hidden = "hello \u202e<b>\u{e0041}";
  const waiting = await call("note", { note: hidden });
  const browser = new Browser();

  const page = await browser.open(waiting.approval_url);
  const before = await call("look");
  const decided = await browser.press(page, "approve");
  const made = await call("note", { note: hidden });
  const later = await new Browser().open(waiting.approval_url);
  const { body } = await app.api("GET", `/agent/approvals/${waiting.approval_id}`);

  expect(waiting).toMatchObject({ code: "approval_required", next: /approval_url/ });
  expect(waiting.approval_url).toBe(`${app.url}/agent/approve/${waiting.approval_id}`);
  for (const text of ["Add a note (crm__note)", "ada-crm", "<dd>ada</dd>", "svc.setMetadata"]) {
    expect(page.text).toContain(text);
  }
  expect(page.text).toContain("hello ⟨U+202E⟩&lt;b&gt;⟨U+E0041⟩");
  expect(before).not.toHaveProperty("note");
  expect(decided.text).toContain("<h1>Allowed</h1>");
  expect(made).toBe("noted");
  // A model is shown what it wrote without what nobody sees.
  expect(await call("look")).toMatchObject({ note: "hello <b>" });
  expect(later.text).toContain("<h1>Done already</h1>");
  expect(body.data).toMatchObject({ approver: "end_user", decided_by: "end_user", state: "used" });
});

test("what the end user denies is not made", async () => {
  const { call } = await begin();
  const waiting = await call("wipe");
  const browser = new Browser();

  const page = await browser.open(waiting.approval_url);
  const decided = await browser.press(page, "deny");

  expect(page.text).toContain("This may delete or overwrite data.");
  expect(decided.text).toContain("<h1>Not allowed</h1>");
  expect((await call("wipe")).code).toBe("approval_denied");
});

test("nobody else sees or decides it, in another browser neither, and not later", async () => {
  const { call } = await begin();
  const waiting = await call("note", { note: "mine alone" });
  const own = new Browser();
  const page = await own.open(waiting.approval_url);

  app.signedIn = "bob";
  const asBob = await new Browser().open(waiting.approval_url);
  app.signedIn = "ada";
  const stolen = await new Browser().press(page, "approve");
  const again = await own.press(page, "approve");
  const { body: still } = await app.api("GET", `/agent/approvals/${waiting.approval_id}`);
  app.app.clock.advance(16 * MINUTE);
  const late = await new Browser().open(waiting.approval_url);
  const none = await new Browser().open(`${app.url}/agent/approve/${crypto.randomUUID()}`);

  expect([asBob.status, stolen.status, again.status]).toEqual([403, 403, 403]);
  for (const { text } of [asBob, stolen, again]) expect(text).not.toContain("mine alone");
  expect(still.data.state).toBe("waiting");
  expect(late.text).toContain("<h1>Too late</h1>");
  expect([late.status, none.status]).toEqual([200, 404]);
});

test("a proof for one call opens no other", async () => {
  const { call } = await begin();
  const [one, other] = [await call("note", { note: "one" }), await call("note", { note: "other" })];
  const browser = new Browser();
  const page = await browser.open(one.approval_url);
  const second = await browser.open(other.approval_url);
  const ticket = (text: string) => /name="ticket" value="([^"]+)"/.exec(text)?.[1] ?? "";

  const shown = await browser.open(`${other.approval_url}?ticket=${ticket(page.text)}`);
  const crossed = await browser.press(
    { ...second, text: second.text.replace(ticket(second.text), ticket(page.text)) },
    "approve",
  );
  const { body } = await app.api("GET", `/agent/approvals/${other.approval_id}`);

  expect([shown.status, crossed.status]).toEqual([404, 404]);
  expect(shown.text).not.toContain("other");
  expect(body.data.state).toBe("waiting");
});

test("calls that others approve have no page", async () => {
  await app.putToolset("queue", { policy: { preset: "careful" } });
  const { call } = await begin("queue");

  const waiting = await call("note", { note: "x" });
  const page = await new Browser().open(`${app.url}/agent/approve/${waiting.approval_id}`);

  expect(waiting).not.toHaveProperty("approval_url");
  expect(page.status).toBe(404);
});

test("an identity provider proves the end user, too", async () => {
  const redirectUris = [`${app.url}/agent/sign-in/callback`];
  await using provider = await startIdentityProvider(redirectUris);
  const { body: before } = await app.api("GET", "/agent/sign-in");
  const oidc = { issuer: provider.issuer, client_id: CLIENT.id, client_secret: CLIENT.secret };
  await app.api("PUT", "/agent/sign-in", { oidc });
  const { call } = await begin();
  const waiting = await call("note", { note: "by the provider" });
  const [asAda, asBob] = [new Browser(), new Browser()];

  const refused = await asBob.open(waiting.approval_url, provider.issuer);
  const other = await asBob.open(await provider.signIn(refused.url.href, { sub: "bob" }));
  const leaving = await asAda.open(waiting.approval_url, provider.issuer);
  const page = await asAda.open(await provider.signIn(leaving.url.href, { sub: "ada" }));
  await asAda.press(page, "approve");
  const { verifier_url } = before.data;
  await app.api("PUT", "/agent/sign-in", { verifier_url, dynamic_registration: true });

  expect(other.status).toBe(403);
  expect(other.text).not.toContain("by the provider");
  expect(page.text).toContain("by the provider");
  expect(await call("note", { note: "by the provider" })).toBe("noted");
});

test("without a way to prove the end user there is no link, and an operator can approve", async () => {
  const { body: before } = await app.api("GET", "/agent/sign-in");
  await app.api("DELETE", "/agent/sign-in");
  const { call } = await begin();

  const waiting = await call("note", { note: "no way" });
  await app.api("POST", `/agent/approvals/${waiting.approval_id}`, { decision: "approve" });
  const made = await call("note", { note: "no way" });
  const { verifier_url } = before.data;
  await app.api("PUT", "/agent/sign-in", { verifier_url, dynamic_registration: true });

  expect(waiting).not.toHaveProperty("approval_url");
  expect(made).toBe("noted");
});

test("a client that opens addresses is asked to, and its call is made once the end user has approved", async () => {
  const body = { toolset: "helper", end_user_id: "ada" };
  const { token } = (await app.api("POST", "/agent/sessions", body)).body.data;
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: "auto" } },
  );
  const opened: string[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    if (params.mode !== "url") throw new Error("a form was asked for");
    opened.push(params.url);
    const browser = new Browser();
    await browser.press(await browser.open(params.url), "approve");
    return { action: "accept" as const };
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL(`${app.url}/mcp/helper`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));

  const answer = await client.callTool({ name: "crm__note", arguments: { note: "opened" } });

  expect(opened).toEqual([expect.stringContaining("/agent/approve/")]);
  expect(answer.content).toEqual([{ type: "text", text: '"noted"' }]);
});

test.each(["legacy", "auto"] as const)(
  "where the toolset says so, the client's user approves by a form, in the mode %s",
  async (mode) => {
    await app.putToolset("by-client", { policy: { preset: "careful", approver: "client" } });
    const body = { toolset: "by-client", end_user_id: "ada" };
    const { token } = (await app.api("POST", "/agent/sessions", body)).body.data;
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
    );
    const messages: string[] = [];
    const answers = ["approve", "deny"];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      messages.push(params.message);
      return { action: "accept" as const, content: { decision: answers.shift() ?? "" } };
    });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const url = new URL(`${app.url}/mcp/by-client`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const call = async (note: string) =>
      JSON.stringify(await client.callTool({ name: "crm__note", arguments: { note } }));

    const approved = await call(`yes ${mode}`);
    app.app.clock.advance(1);
    const denied = await call(`no ${mode}`);
    const { body: listed } = await app.api("GET", "/agent/approvals?limit=2");

    expect(approved).toContain("noted");
    expect(denied).toContain("approval_denied");
    expect(messages).toHaveLength(2);
    expect(messages[0]).toContain(`yes ${mode}`);
    expect(messages[0]).toContain("svc.setMetadata");
    expect(listed.data).toMatchObject([
      { state: "denied", approver: "client", decided_by: "client" },
      { state: "used", approver: "client", decided_by: "client" },
    ]);
  },
);

test("of a client that cannot ask, the call waits for an operator", async () => {
  await app.putToolset("by-client", { policy: { preset: "careful", approver: "client" } });
  const { call } = await begin("by-client");

  const waiting = await call("note", { note: "silent" });
  await app.api("POST", `/agent/approvals/${waiting.approval_id}`, { decision: "approve" });

  expect(waiting.code).toBe("approval_required");
  expect(await call("note", { note: "silent" })).toBe("noted");
});

test("of two versions of the toolset the approver holds who proves more", async () => {
  await app.putToolset("turns", { policy: { preset: "careful", approver: "client" } });
  const { call } = await begin("turns");
  await app.putToolset("turns", { policy: { preset: "careful", approver: "end_user" } });

  const waiting = await call("note", { note: "whose" });
  const { body } = await app.api("GET", `/agent/approvals/${waiting.approval_id}`);

  expect(body.data.approver).toBe("end_user");
});
