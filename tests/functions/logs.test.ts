import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, apiOf } from "../journeys/api.ts";
import { actionSource, type FunctionsUnderTest, startFunctions } from "./setup.ts";

let platform: FunctionsUnderTest;
let stranger: Api;
beforeAll(async () => {
  platform = await startFunctions();
  const { api, call } = platform;
  stranger = apiOf(api.url, await api.keyOf("prod", ["environment:*"]));
  await call("PUT", "/environment-variables/SVC_LOGGER_LEVEL", { body: { value: "debug" } });
  const { body } = await call("POST", "/functions/deployments", {
    body: {
      type: "function",
      integration_id: "crm",
      function_name: "visit",
      function_type: "action",
      code: actionSource(`(
        await svc.get({ endpoint: "/contacts?api_key=canary-query" }),
        await svc.log("visiting", { token: "canary-meta", place: "Paris" }),
        await svc.log("with Authorization: Bearer canary-bearer-text", { level: "warn" }),
        await svc.get({ endpoint: "/missing" })
      )`),
    },
  });
  await platform.ended(`/functions/deployments/${body.id}`);
  const headers = { "provider-config-key": "crm", "connection-id": "acme" };
  await call("POST", "/action/trigger", { headers, body: { action_name: "visit", input: {} } });
});
afterAll(async () => await platform[Symbol.asyncDispose]());

async function visit() {
  const { body } = await platform.call("GET", "/logs/operations?types=action&functions=visit");
  return body.data[0];
}

test("a run is one operation, and its calls and words are messages below it", async () => {
  const operation = await visit();
  const { body } = await platform.call("GET", `/logs/operations/${operation.id}/messages`);

  expect(operation).toMatchObject({
    operation: { type: "action", action: "run" },
    state: "failed",
    level: "error",
    integration: { name: "crm" },
    connection: { name: "acme" },
    error: { type: "script_http_error" },
    expires_at: null,
  });
  expect(operation.duration_ms).toBeGreaterThanOrEqual(0);
  expect(body.data).toMatchObject([
    {
      type: "http",
      level: "info",
      parent_id: operation.id,
      request: { method: "GET", url: `${platform.provider.url}/contacts` },
      response: { code: 200 },
    },
    { type: "log", source: "user", level: "info", message: "visiting", meta: { place: "Paris" } },
    { type: "log", source: "user", level: "warn" },
    { type: "http", level: "error", response: { code: 404 } },
    { type: "log", source: "internal", level: "error" },
  ]);
  const calls = await platform.call("GET", "/logs/operations?types=proxy");
  expect(calls.body.data).toEqual([]);
});

test("a search finds the run by what its function said", async () => {
  const operation = await visit();
  const find = async (search: string) =>
    (await platform.call("GET", `/logs/operations?search=${encodeURIComponent(search)}`)).body.data;

  expect((await find("visiting")).map(({ id }: { id: string }) => id)).toEqual([operation.id]);
  expect(await find("never said")).toEqual([]);
});

test("no log table holds a secret, whichever way it came", async () => {
  await visit();
  const { rows } = await platform.api.database.pool.query(
    "select o::text as row from operations o union all select m::text from operation_messages m",
  );

  const dump = rows.map(({ row }) => row).join("\n");
  expect(dump).toContain("visiting");
  for (const secret of ["canary-token", "canary-query", "canary-meta", "canary-bearer-text"]) {
    expect(dump).not.toContain(secret);
  }
});

test("logs and jobs of another environment are as if they were not there", async () => {
  const operation = await visit();
  const { body: jobs } = await platform.call("GET", "/functions/deployments");
  const { body: page } = await platform.call("GET", "/logs/operations?limit=1");
  const nobody = randomUUID();
  const paths = (id: string, job: string) => [
    `/logs/operations/${id}`,
    `/logs/operations/${id}/messages`,
    `/functions/deployments/${job}`,
    `/functions/dryruns/${job}`,
  ];
  const ask = async (all: string[]) =>
    await Promise.all(
      all.map(async (path) => {
        const { status, body } = await stranger("GET", path);
        return { status, body };
      }),
    );

  const theirs = await ask(paths(operation.id, jobs.data[0].id));
  const none = await ask(paths(nobody, nobody));
  const listed = await stranger("GET", `/logs/operations?cursor=${page.next_cursor}`);

  expect(theirs).toEqual(none);
  expect(theirs.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(JSON.stringify(listed.body)).not.toContain("crm");
  expect((await stranger("GET", "/functions/deployments")).body).toEqual({ data: [] });
});
