import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../testing/accounts.ts";
import { type OauthApp, startOauthApp } from "../testing/oauth-app.ts";

// What sessions have besides tools: questions of actions to the agent's user, and resources.

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const question = JSON.stringify({ message: "Who is it?", schema: form });
const id = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };

let app: OauthApp;
beforeAll(async () => {
  app = await startOauthApp();
  await app.deploy(
    "ask",
    `const { action, content } = await svc.elicit(${question}); return action + " " + content?.name;`,
    "read",
  );
  const account = "return (await svc.getConnection()).connection_id;";
  await app.deploy("account", account, { effect: "read", resource: { uri: "crm://account" } });
  await app.deploy(
    "contact",
    "return { id: input.id, of: (await svc.getConnection()).connection_id };",
    { effect: "read", resource: { uri: "crm://contacts/{id}", mimeType: "application/json" } },
    id,
  );
  await app.deploy("change", "return 1;", { effect: "write", resource: { uri: "crm://change" } });
  await app.putToolset("helper", { budget: { calls: 3, calls_per_day: 1000 } });
  const second = { integration: app.crm, connectionId: "bob-second", endUserId: "bob" };
  await connect(app.ctx, second);
});
afterAll(async () => await app[Symbol.asyncDispose]());

type Options = NonNullable<ConstructorParameters<typeof Client>[1]>;
const modes = ["legacy", "auto"] as const;

async function begin(endUserId: string, options: Options) {
  const made = await app.api("POST", "/agent/sessions", {
    ...{ toolset: "helper", end_user_id: endUserId },
  });
  const { mcp_url: url, token } = made.body.data;
  const client = new Client({ name: "test", version: "1" }, options);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const read = async () => (await app.api("GET", `/agent/sessions/${made.body.data.id}`)).body.data;
  return { client, read };
}

test.each(modes)(
  "an action asks the user of a session in the mode %s, as one call",
  async (mode) => {
    const { client, read } = await begin("ada", {
      ...{ capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
    });
    client.setRequestHandler("elicitation/create", () => ({
      ...{ action: "accept" as const, content: { name: "Ada" } },
    }));

    const answer = await client.callTool({ name: "crm__ask", arguments: {} });
    const { used } = await read();

    expect(answer.content).toEqual([{ type: "text", text: '"accept Ada"' }]);
    expect(used.calls).toBe(1);
  },
);

test.each(modes)("a user who declines in the mode %s is an answer, too", async (mode) => {
  const { client } = await begin("ada", {
    ...{ capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  });
  client.setRequestHandler("elicitation/create", () => ({ action: "decline" as const }));

  const answer = await client.callTool({ name: "crm__ask", arguments: {} });

  expect(answer.content).toEqual([{ type: "text", text: '"decline undefined"' }]);
});

test("a client that cannot ask gets that as the answer", async () => {
  const { client } = await begin("ada", { versionNegotiation: { mode: "auto" } });

  const { isError, content } = await client.callTool({ name: "crm__ask", arguments: {} });

  expect(isError).toBe(true);
  expect(content[0]).toMatchObject({ text: expect.stringContaining('"code":"input_required"') });
});

test("resources of a session are those of the user's account, and reading one is a call", async () => {
  const { client, read } = await begin("ada", { versionNegotiation: { mode: "auto" } });

  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const fixed = await client.readResource({ uri: "crm://account" });
  const found = await client.readResource({ uri: "crm://contacts/7%2F8" });
  const writes = client.readResource({ uri: "crm://change" });

  await expect(writes).rejects.toThrow(/crm:\/\/change/);
  expect(resources.map(({ uri }) => uri)).toEqual(["crm://account"]);
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["crm://contacts/{id}"]);
  expect(fixed.contents).toMatchObject([{ uri: "crm://account", text: "ada-crm" }]);
  expect(found.contents).toMatchObject([{ text: '{"id":"7/8","of":"ada-crm"}' }]);
  expect((await read()).used.calls).toBe(2);
  await client.readResource({ uri: "crm://account" });
  await expect(client.readResource({ uri: "crm://account" })).rejects.toMatchObject({
    data: { code: "budget_exhausted" },
  });
});

test("a user with two accounts has no resources, since an address does not choose", async () => {
  const { client } = await begin("bob", { versionNegotiation: { mode: "auto" } });

  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();

  expect([resources, resourceTemplates]).toEqual([[], []]);
  await expect(client.readResource({ uri: "crm://account" })).rejects.toThrow(/not found/i);
});
