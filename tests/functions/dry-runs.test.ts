import { runtimeMethods } from "@jackfield/contract/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dryScopes } from "../../packages/server/src/functions/jobs/dry-scopes.ts";
import { apiOf } from "../journeys/api.ts";
import { actionSource, type FunctionsUnderTest, startFunctions, syncSource } from "./setup.ts";

let platform: FunctionsUnderTest;
beforeAll(async () => {
  platform = await startFunctions();
});
afterAll(async () => await platform[Symbol.asyncDispose]());

async function dryRun(code: string, more: object = {}, call = platform.call) {
  const body = { integration_id: "crm", connection_id: "acme", code, ...more };
  const created = await call("POST", "/functions/dryruns", { body });
  expect(created).toEqual({
    ...created,
    status: 200,
    body: { id: expect.any(String), created_at: expect.any(String) },
  });
  return await platform.ended(`/functions/dryruns/${created.body.id}`, call);
}

test("an action runs with its input against the connection, and its output is the result", async () => {
  const code = actionSource(
    `{
    await svc.log("asked for", { name: input?.name });
    const { data } = await svc.get({ endpoint: "/contacts" });
    return { name: input?.name, found: data.length };
  }`
      .replace(/^\{/, "(await (async () => {")
      .replace(/\}$/, "})())"),
  );

  const run = await dryRun(code, { input: { name: "Ada" } });

  expect(run).toMatchObject({
    status: "success",
    integration_id: "crm",
    function_type: "action",
    result: { name: "Ada", found: 2 },
  });
  expect(run.output).toContain('[info] asked for {"name":"Ada"}');
  expect(run.duration_ms).toBeGreaterThanOrEqual(0);
  expect(platform.provider.asked.at(-1)?.authorization).toBe("Bearer canary-token");
});

test("what a sync would write is collected, and nothing of it is kept", async () => {
  const code = syncSource(
    "Contact: model",
    `const { data } = await svc.get({ endpoint: "/contacts" });
     await svc.batchSave(data, "Contact");
     await svc.batchDelete([{ id: "9" }], "Contact");
     const before = await svc.getCheckpoint();
     await svc.saveCheckpoint({ page: Number(before?.page) + 1 });
     const metadata = await svc.getMetadata<{ region: string }>();
     await svc.updateMetadata({ seen: metadata?.region });
     await svc.startSync("crm", ["other"]);`,
  );

  const run = await dryRun(code, { checkpoint: { page: 4 }, metadata: { region: "us" } });

  expect(run).toMatchObject({
    status: "success",
    function_type: "sync",
    result: {
      batchSave: {
        Contact: {
          count: 2,
          records: [
            { id: "1", name: "Ada" },
            { id: "2", name: "Bob" },
          ],
        },
      },
      batchDelete: { Contact: { count: 1 } },
      checkpoint: { page: 5 },
      metadata: { region: "us", seen: "us" },
    },
  });
  expect(run.output).toContain("startSync did nothing");
  const { rows } = await platform.api.database.pool.query(
    "select (select count(*) from records)::int + (select count(*) from checkpoints)::int as kept",
  );
  expect(rows).toEqual([{ kept: 0 }]);
  const connection = await platform.call("GET", "/connections/acme?provider_config_key=crm");
  expect(connection.body.metadata).toEqual({ region: "eu" });
});

test("a dry run of a sync is of the variant that is asked for, else of the sync itself", async () => {
  const code = syncSource(
    "Contact: model",
    `await svc.batchSave([{ id: String(svc.variant), name: "Ada" }], "Contact");`,
  );

  const runs = [await dryRun(code, { variant: "eu" }), await dryRun(code)];

  const ids = runs.map((run) => run.result.batchSave.Contact.records[0].id);
  expect(ids).toEqual(["eu", "base"]);
});

test("a run that throws fails with its error and what it had logged", async () => {
  const code = actionSource(
    '(await svc.log("before"), (() => { throw new svc.ActionError({ reason: "no" }); })())',
  );

  const run = await dryRun(code);

  expect(run).toMatchObject({
    status: "failed",
    output: "[info] before",
    error: { code: "action_script_runtime_error", payload: { reason: "no" } },
  });
});

test.for([
  ["does not parse", "export default createAction({", /line 1/],
  ["imports a package", 'import x from "left-pad"; export default createAction(x);', /left-pad/],
  ["imports a file", 'import x from "/etc/hostname"; export default createAction(x);', /one file/],
  ["imports our files", 'import x from "./package.json"; createAction(x);', /one file/],
  ["imports the file system", 'import fs from "node:fs"; export default createAction(fs);', /"fs"/],
  [
    "defines nothing",
    "export const a = createAction;\ncreateAction({});",
    /createAction|default export/,
  ],
  ["throws when it is loaded", `${actionSource("1")}throw new Error("boom");`, /boom/],
] as const)("a source that %s fails with the reason", async ([, code, reason]) => {
  const run = await dryRun(code, { function_type: "action" });

  expect(run).toMatchObject({ status: "failed", error: { code: "compilation_error" } });
  expect(run.error.message).toMatch(reason);
});

test("a source that no compiler can hold, or that never ends loading, harms nobody else", async () => {
  const compile = async (code: string) =>
    (await platform.call("POST", "/functions/compile", { body: { code } })).body;

  const [deep, endless] = await Promise.all([
    compile("(".repeat(250_000)),
    compile(`${actionSource("1")}while (true) {}`),
  ]);
  const fine = await compile(actionSource("1"));

  expect(deep.error).toMatchObject({ code: "compilation_error" });
  expect(endless.error).toMatchObject({ code: "compilation_error" });
  expect(endless.error.message).toContain("longer than 5 seconds");
  expect(fine.error).toBeUndefined();
}, 60_000);

test("the credentials that a dry run has read are not in what it tells", async () => {
  const code = actionSource(
    '(await svc.log(JSON.stringify(await svc.getToken())), (() => { throw new Error("with " + input?.name); })())',
  );

  const run = await dryRun(code, { input: { name: "canary-token" } });

  expect(run).toMatchObject({ status: "failed", error: { message: "with [redacted]" } });
  expect(run.output).toContain("[redacted]");
  expect(JSON.stringify(run)).not.toContain("canary-token");
});

test("a key reads no more through a dry run than without one", async () => {
  const key = await platform.api.keyOf("dev", [
    "environment:functions:dryrun",
    "environment:connections:read",
  ]);
  const call = apiOf(platform.api.url, key);

  const connection = await dryRun(actionSource("await svc.getConnection()"), {}, call);
  const variables = await dryRun(actionSource("await svc.getEnvironmentVariables()"), {}, call);

  expect(connection).toMatchObject({ status: "success", result: { connection_id: "acme" } });
  expect(JSON.stringify(connection)).not.toContain("canary-token");
  expect(variables).toMatchObject({ status: "failed" });
  expect(variables.error.message).toContain("environment:variables:read");
});

test("a key that may not read credentials sends them nowhere else through a dry run", async () => {
  const key = await platform.api.keyOf("dev", [
    "environment:functions:dryrun",
    "environment:connections:read",
    "environment:proxy",
  ]);
  const call = apiOf(platform.api.url, key);
  const elsewhere = platform.provider.url.replace("127.0.0.1", "localhost");
  const asked = platform.provider.asked.length;

  const sent = await dryRun(
    actionSource(`svc.get({ endpoint: "/contacts", baseUrlOverride: "${elsewhere}" })`),
    {},
    call,
  );
  const renewed = await dryRun(
    actionSource("svc.getConnection(undefined, undefined, { forceRefresh: true })"),
    {},
    call,
  );

  expect(sent.error?.message).toContain("may not send the connection's credentials to localhost");
  expect(renewed.error?.message).toContain("need the scope environment:connections:read_cred");
  expect(platform.provider.asked).toHaveLength(asked);
});

// A call of the svc object for each method of the runtime that a scope guards.
const guarded = {
  proxy: 'svc.get({ endpoint: "/contacts" })',
  fetch: "fetch(PROVIDER)",
  getIntegration: "svc.getIntegration()",
  getPagination: 'svc.paginate({ endpoint: "/contacts", providerConfigKey: "other" }).next()',
  getConnection: "svc.getMetadata()",
  getEnvironmentVariables: "svc.getEnvironmentVariables()",
  triggerAction: 'svc.triggerAction("crm", "acme", "none")',
  getRecords: 'svc.getRecordsByIds(["1"], "Contact")',
  listRecords: "LIST",
};

test("every call that a scope guards is in the table, and a key without scopes makes none", async () => {
  const key = await platform.api.keyOf("dev", ["environment:functions:dryrun"]);
  const call = apiOf(platform.api.url, key);
  const asked = platform.provider.asked.length;
  const needing = Object.entries(dryScopes).filter(([, scope]) => scope !== "nothing");
  const tried = Object.entries(guarded).filter(([method]) => method !== "listRecords");
  const attempts = tried.map(([method, expression]) => {
    const own = expression.replace("PROVIDER", JSON.stringify(`${platform.provider.url}/contacts`));
    return `await (async () => ${own})().then(() => "${method} was done", (e) => "${method}: " + e.message)`;
  });

  const code = syncSource(
    "Contact: model",
    `for (const line of [${attempts.join(", ")}]) await svc.log(String(line));
     await svc.log(await (async () => { for await (const r of svc.listRecords("Contact")) void r; })()
       .then(() => "listRecords was done", (e) => "listRecords: " + e.message));
     await svc.log(await svc.updateMetadata({ a: 1 })
       .then(() => "updateMetadata was done", (e) => "updateMetadata: " + e.message));`,
  ).replaceAll("(e)", "(e: any)");
  const run = await dryRun(code, {}, call);

  expect(Object.keys(dryScopes).toSorted()).toEqual(Object.keys(runtimeMethods).toSorted());
  expect(Object.keys(guarded).toSorted()).toEqual(needing.map(([method]) => method).toSorted());
  expect(run.error).toBeUndefined();
  expect(run.output).not.toContain("was done");
  for (const [method, scope] of needing) {
    const lines = run.output.split("\n").filter((line: string) => line.includes(`${method}:`));
    expect(lines.join(), method).toContain(`needs the scope ${scope}`);
  }
  expect(run.output).toMatch(/updateMetadata: .*environment:connections:read/);
  expect(platform.provider.asked).toHaveLength(asked);
}, 60_000);

test("what is not there, or is of another type, is refused at once", async () => {
  const post = async (change: object) => {
    const body = {
      integration_id: "crm",
      connection_id: "acme",
      code: actionSource("1"),
      ...change,
    };
    const { status, body: answer } = await platform.call("POST", "/functions/dryruns", { body });
    return `${status} ${answer.error?.code}`;
  };
  const unknown = "/functions/dryruns/0b8c1e5a-7f0d-4c8e-9a51-3f6d2b7c9e10";

  expect(await post({ integration_id: "none" })).toBe("404 integration_not_found");
  expect(await post({ connection_id: "none" })).toBe("404 connection_not_found");
  expect(await post({ function_type: "sync" })).toBe("400 invalid_body");
  expect(await post({ code: "1" })).toBe("400 invalid_body");
  expect((await platform.call("GET", unknown)).body.error.code).toBe("dryrun_not_found");
});

test("neither what was sent nor what came of it is in clear in the database", async () => {
  await dryRun(actionSource('({ secret: "canary-" + "result" })'), {
    input: { name: "canary-input" },
  });

  const { rows } = await platform.api.database.pool.query("select t::text from function_jobs t");

  const dump = JSON.stringify(rows);
  for (const canary of ["canary-result", "canary-input"]) {
    expect(dump).not.toContain(canary);
    expect(dump).not.toContain(Buffer.from(canary).toString("hex"));
  }
});

test("what a dry run prints can be read while it runs, and is in clear nowhere", async () => {
  const code = actionSource(
    `(await svc.log("canary-progress"), await new Promise((resolve) => setTimeout(resolve, 4000)), "end")`,
  );
  const body = { integration_id: "crm", connection_id: "acme", code, input: { name: "x" } };
  const { body: started } = await platform.call("POST", "/functions/dryruns", { body });
  const read = async () => (await platform.call("GET", `/functions/dryruns/${started.id}`)).body;

  await expect
    .poll(async () => (await read()).output, { timeout: 30_000 })
    .toContain("canary-progress");
  const during = await read();
  const { rows } = await platform.api.database.pool.query("select t::text from function_jobs t");
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe("success");
  const after = await platform.api.database.pool.query("select progress from function_jobs");

  expect(during.status).toBe("running");
  expect(JSON.stringify(rows)).not.toContain("canary-progress");
  expect(JSON.stringify(rows)).not.toContain(Buffer.from("canary-progress").toString("hex"));
  expect(after.rows.every(({ progress }) => progress === null)).toBe(true);
});
