import { afterAll, beforeAll, expect, test } from "vitest";
import { deployFunctions } from "#functions";
import { newAction, newBundle, newUpload } from "#functions/testing";
import { type Answer, type CarefulApp, startCarefulApp } from "../testing/careful-app.ts";
import type { Effect } from "./toolset.ts";

let careful: CarefulApp;

beforeAll(async () => {
  careful = await startCarefulApp();
  await careful.enter();
  const models = { input: "In", models_json_schema: { definitions: { In: { type: "object" } } } };
  const action = (name: string, effect: Effect) =>
    newAction(name, { fileBody: newBundle("action", ""), ...models, agent: { effect } });
  const flowConfigs = [
    action("find", "read"),
    action("add", "write"),
    action("refund", "write"),
    action("remove", "destructive"),
  ];
  await deployFunctions(careful.ctx, newUpload({ flowConfigs }));
});
afterAll(async () => await careful[Symbol.asyncDispose]());

async function preview(body: object): Promise<Answer> {
  return await careful.api("POST", "/agent/toolsets/preview", body);
}

const all = { tools: [{ integration: "crm" }] };

test("a preview has the tools that a session then has, and what the policy does with each", async () => {
  const rules = [
    { action: "remove", verdict: "deny" },
    { action: "refund", input: [{ path: "/amount", op: "lte", value: 50 }], verdict: "allow" },
  ];
  const settings = { ...all, policy: { preset: "careful", rules }, effects: ["read", "write"] };

  const { data } = await preview(settings);
  await careful.api("PUT", "/agent/toolsets/previewed", settings);
  const { session } = await careful.open("previewed");

  const shown = data.tools.map(({ name, verdict, rule }: Answer) => [name, verdict, rule]);
  expect(shown).toEqual([
    ["crm__add", "ask", null],
    ["crm__find", "allow", null],
    ["crm__refund", "depends", 1],
  ]);
  expect([data.count, data.tokens, data.mode]).toEqual([
    session.tools.count,
    session.tools.tokens,
    session.mode,
  ]);
  expect(data.left_out).toMatchObject([{ action: "remove", reason: "effects" }]);
});

test("what a toolset selects and does not get is named with its reason, and nothing is stored", async () => {
  const actions = ["find", "remove", "gone"];
  const { data } = await preview({
    ...{ tools: [{ integration: "crm", actions }], pinned: ["crm__find", "crm__lost"] },
    policy: { preset: "read_only" },
  });
  const unknown = await preview({ tools: [{ integration: "nowhere" }] });
  const none = await preview({ tools: [] });
  const { status } = await careful.api("GET", "/agent/toolsets/preview");

  expect(data.tools.map(({ action }: Answer) => action)).toEqual(["find"]);
  expect(data.left_out).toMatchObject([{ action: "remove", reason: "policy" }]);
  expect(data.unknown).toEqual(["crm__gone"]);
  expect(data.pinned_missing).toEqual(["crm__lost"]);
  expect([unknown.error.code, none.status, status]).toEqual(["unknown_provider_config", 400, 404]);
});

test("of a request it says whether it would be sent, and which rule decides", async () => {
  const api = [
    {
      integration: "crm",
      allow: [{ methods: ["GET", "POST", "DELETE"], paths: ["/v1/items/*", "/v1/open/**"] }],
      deny: [{ methods: ["GET"], paths: ["/v1/open/secret/**"] }],
    },
  ];
  const asked = [
    ["GET", "/v1/items/7"],
    ["POST", "/v1/open/a/b"],
    ["DELETE", "/v1/items/7"],
    ["GET", "/v1/Open/secret/x"],
    ["GET", "/v1/open/SECRET/x"],
    ["GET", "/v1/items"],
    ["GET", "/v1/items/../open/secret"],
    ["GET", "/v1/items/a%2Fb"],
  ];
  const requests = asked.map(([method, path]) => ({ integration: "crm", method, path }));
  const rules = [{ effect: "destructive", verdict: "deny" }];

  const { data } = await preview({
    ...{ tools: [], api, requests, policy: { preset: "careful", rules } },
  });

  const said = data.requests.map(({ reason, verdict, decided_by: by }: Answer) =>
    [reason, verdict, by === null ? "" : `${by.list} ${by.rule} ${by.path}`].join(" "),
  );
  expect(said).toEqual([
    "allowed allow allow 0 /v1/items/*",
    "allowed ask allow 0 /v1/open/**",
    "policy deny allow 0 /v1/items/*",
    "not_named allow ",
    "denied allow deny 0 /v1/open/secret/**",
    "not_named allow ",
    "ambiguous_path allow ",
    "ambiguous_path allow ",
  ]);
  expect(data.requests.map(({ allowed }: Answer) => allowed).slice(0, 3)).toEqual([
    true,
    true,
    false,
  ]);
});

test("versions are listed newest first and page by page; toolsets are found by name and integration", async () => {
  for (const description of ["one", "two", "Three"]) {
    await careful.api("PUT", "/agent/toolsets/kept", { ...all, description });
  }
  await careful.api("PUT", "/agent/toolsets/other", {
    ...{ tools: [], api: [{ integration: "crm", allow: [{ methods: ["GET"], paths: ["/**"] }] }] },
  });
  const list = async (query: string) => {
    const { data } = await careful.api("GET", `/agent/toolsets${query}`);
    return data.map(({ name }: Answer) => name);
  };

  const first = await careful.api("GET", "/agent/toolsets/kept/versions?limit=2");
  const rest = await careful.api(
    "GET",
    `/agent/toolsets/kept/versions?limit=2&cursor=${first.next_cursor}`,
  );
  const { status } = await careful.api("GET", "/agent/toolsets/none/versions");
  const odd = await careful.api("GET", "/agent/toolsets/kept/versions?cursor=x");

  const versions = [...first.data, ...rest.data];
  expect(versions.map(({ version }: Answer) => version)).toEqual([3, 2, 1]);
  expect(versions.map(({ description }: Answer) => description)).toEqual(["Three", "two", "one"]);
  expect([rest.next_cursor, status, odd.error.code]).toEqual([null, 404, "invalid_cursor"]);
  expect(await list("?search=three")).toEqual(["kept"]);
  expect(await list("?search=%25")).toEqual([]);
  expect(await list("?integration=crm")).toEqual(expect.arrayContaining(["kept", "other"]));
  expect(await list("?integration=mail")).toEqual([]);
});

test("sessions are listed by toolset and state, one with its accounts; a stop by integration reaches those with its API alone", async () => {
  const api = [{ integration: "crm", allow: [{ methods: ["GET"], paths: ["/**"] }] }];
  await careful.api("PUT", "/agent/toolsets/caller", { tools: [], api });
  const { session } = await careful.open("caller");
  const list = async (query: string) => {
    const { data } = await careful.api("GET", `/agent/sessions?toolset=caller&${query}`);
    return data.map(({ id }: Answer) => id);
  };
  const read = async () => (await careful.api("GET", `/agent/sessions/${session.id}`)).data;

  const open = [await list("state=open"), await list("integration=crm"), await list("")];
  const whileOpen = await read();
  const stopped = await careful.api("POST", "/agent/stop", { integration: "crm" });
  const afterwards = await read();

  expect(open).toEqual([[session.id], [session.id], [session.id]]);
  expect(whileOpen.accounts).toMatchObject([{ connection_id: "ada-crm", state: "ok" }]);
  expect(stopped.data.ended).toBeGreaterThan(0);
  expect([afterwards.state, afterwards.accounts]).toEqual(["ended", []]);
  expect([await list("state=open"), await list("")]).toEqual([[], [session.id]]);
});
