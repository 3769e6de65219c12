import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deployFunctions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import { type Answer, type CarefulApp, startCarefulApp } from "../testing/careful-app.ts";

let careful: CarefulApp;

const document = {
  openapi: "3.0.3",
  info: { title: "CRM", version: "2" },
  paths: {
    "/contacts": {
      get: { operationId: "listContacts", summary: "Lists contacts", responses: { 200: {} } },
      post: { operationId: "createContact", responses: { 200: {} } },
    },
  },
};

beforeAll(async () => {
  careful = await startCarefulApp();
  await careful.enter();
  const action = (name: string, agent?: object) =>
    newAction(name, { fileBody: newBundle("action", ""), ...(agent && { agent }) });
  const flowConfigs = [
    action("find", { effect: "read", title: "Find" }),
    action("add"),
    action("kept-back", { expose: false }),
  ];
  await deployFunctions(careful.ctx, newUpload({ flowConfigs }));
  await careful.api("PUT", "/integrations/crm/openapi", { document: JSON.stringify(document) });
  const definition = {
    description: "Opens a ticket",
    inputSchema: { type: "object" },
    annotations: {},
  };
  await sql`
    insert into agent_upstream_tools (environment_id, integration_id, server_url, name, digest, definition, state,
                                      first_seen_at, seen_at)
    select environment_id, id, 'https://desk.example', name, 'd', ${JSON.stringify(definition)}, state, now(), now()
      from integrations cross join (values ('open_ticket', 'allowed'), ('drop_tickets', 'new')) as t (name, state)
     where environment_id = ${careful.ctx.environment.id} and unique_key = 'crm'`.execute(
    careful.ctx.db,
  );
});
afterAll(async () => await careful[Symbol.asyncDispose]());

async function list(query = ""): Promise<Answer> {
  return await careful.api("GET", `/agent/tools${query}`);
}

async function listNames(query: string): Promise<readonly string[]> {
  const { data } = await list(query);
  return data.map((tool: Answer) => tool.session_name);
}

test("tools of every source that an agent may have are listed, actions first, and no other", async () => {
  const before = await listNames("");
  await careful.api("PUT", "/agent/toolsets/caller", {
    tools: [],
    api: [{ integration: "crm", allow: [{ methods: ["GET"], paths: ["/contacts"] }] }],
  });
  const page = await list();

  const shown = page.data.map((tool: Answer) => [tool.source, tool.session_name, tool.effect]);
  expect(shown).toEqual([
    ["action", "crm__add", undefined],
    ["action", "crm__find", "read"],
    ["operation", "crm__create-contact", "write"],
    ["operation", "crm__list-contacts", "read"],
    ["upstream", "crm__open_ticket", "write"],
    ["api", "api__crm", "write"],
  ]);
  expect(before).not.toContain("api__crm");
  expect(page.data[0]).toMatchObject({ name: "add", warnings: ["no_description", "no_effect"] });
  expect(page.data[1]).toMatchObject({ name: "find", title: "Find", action: "find" });
  const sum = page.data.reduce((all: number, { tokens }: Answer) => all + tokens, 0);
  expect(page).toMatchObject({ total: 6, tokens: sum, next_cursor: null });
  expect(page.left_out).toEqual([
    { integration: "crm", action: "kept-back", reason: "not_exposed" },
  ]);
});

test("a page continues where the last one ended, and filters select", async () => {
  const first = await list("?limit=3");
  const second = await list(`?limit=3&cursor=${first.next_cursor}`);
  const altered = await list("?cursor=altered");

  expect([...first.data, ...second.data]).toEqual((await list()).data);
  expect([first.total, second.total, second.next_cursor]).toEqual([6, 6, null]);
  expect([second.left_out, second.tokens]).toEqual([[], first.tokens]);
  expect(altered).toMatchObject({ status: 400, error: { code: "invalid_cursor" } });
  expect(await listNames("?source=upstream")).toEqual(["crm__open_ticket"]);
  expect(await listNames("?integration=other")).toEqual([]);
});

test("of two thousand tools a page has one thousand, wherever it begins", async () => {
  await sql`
    insert into agent_api_operations (document_id, name, environment_id, place, operation_id, method, path, tags, effect,
                                      is_effect_given, title, summary, signature, bytes, definition, digest)
    select document_id, 'many' || n, environment_id, 10 + n, 'many' || n, method, path, tags, effect, is_effect_given,
           title, summary, signature, bytes, definition, digest
      from agent_api_operations cross join generate_series(1, 2000) as n
     where environment_id = ${careful.ctx.environment.id} and name = 'list-contacts'`.execute(
    careful.ctx.db,
  );
  await sql`update agent_api_documents set operations = 2002
             where environment_id = ${careful.ctx.environment.id}`.execute(careful.ctx.db);

  const first = await list();
  const last = await list("?cursor=operation:crm__many1989");

  expect([first.total, first.data.length, last.total]).toEqual([2006, 1000, 2006]);
  expect(first.next_cursor).toBe(`operation:${first.data.at(-1).session_name}`);
  const names = last.data.map((tool: Answer) => tool.session_name);
  expect(names.slice(0, 2)).toEqual(["crm__many199", "crm__many1990"]);
  expect([names.length, names.at(-1), last.next_cursor]).toEqual([902, "api__crm", null]);
});
