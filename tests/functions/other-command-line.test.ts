import { startThrowAwayServer } from "@jackfield/server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

// What the command line of the compatible platform sends, as it was seen to: its own packages are no dependency.
const PREFIX = "nango";

let server: Awaited<ReturnType<typeof startThrowAwayServer>>;
let key: string;
beforeAll(async () => {
  server = await startThrowAwayServer({ SVC_COMPAT_PREFIX: PREFIX });
  key = server.newKeys?.dev ?? "";
  await call("/integrations", { unique_key: "free", provider: "unauthenticated" });
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function call(path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "user-agent": "nango-cli/0.71.10 (Linux/6; node.js/26.10.0)",
      "nango-cli-device-id": "00000000-0000-4000-8000-000000000000",
      "content-type": "application/json",
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const json: unknown = await response.json();
  return { status: response.status, body: Object(json) };
}

/** As its bundler leaves it: packages stay outside, and the creators are gone. */
function bundle(name: string, type: string, members: string, requires = ""): string {
  return `"use strict";
var __toESM = (mod) => mod;
// free/${name}.ts
${requires}var z = __toESM(require("zod"));
var import_crypto = require("crypto");
var import_url = require("url");
var own = {
  type: "${type}",
  description: "${name}",
  ${members}
};
module.exports = { __esModule: true, default: own };
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = { own });
//# sourceMappingURL=data:application/json;base64,e30=
`;
}

const addInput = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };

function upload(reconcile: boolean, requires = "") {
  return {
    flowConfigs: [
      {
        syncName: "things",
        providerConfigKey: "free",
        models: ["Thing"],
        version: "1.0.0",
        runs: "every hour",
        track_deletes: false,
        auto_start: true,
        attributes: {},
        metadata: { description: "Things", scopes: [] },
        sync_type: "full",
        type: "sync",
        fileBody: {
          js: bundle(
            "things",
            "sync",
            `frequency: "every hour", models: { Thing: z.object({ id: z.string() }) },
             exec: async (nango) => { await nango.batchSave([{ id: "1" }], "Thing"); }`,
          ),
          ts: "// things",
        },
        endpoints: [],
        webhookSubscriptions: [],
        models_json_schema: {
          definitions: { Thing: { type: "object", properties: { id: { type: "string" } } } },
        },
        features: [],
      },
      {
        syncName: "add",
        providerConfigKey: "free",
        models: ["ActionOutput_free_add"],
        version: "1.0.0",
        runs: null,
        metadata: { description: "Adds", scopes: [] },
        input: "ActionInput_free_add",
        type: "action",
        fileBody: {
          js: bundle(
            "add",
            "action",
            `input: z.object({ a: z.number() }), output: z.any(),
             exec: async (nango, input) => ({ hash: import_crypto.createHash("sha1").update(String(input.a)).digest("hex"),
               host: new import_url.URL("https://a.test/x").host }),`,
            requires,
          ),
          ts: "// add",
        },
        endpoints: [],
        track_deletes: false,
        models_json_schema: {
          definitions: { ActionInput_free_add: addInput, ActionOutput_free_add: {} },
        },
        features: [],
      },
    ],
    onEventScriptsByProvider: [
      {
        providerConfigKey: "free",
        scripts: [
          {
            name: "hello",
            event: "post-connection-creation",
            fileBody: {
              js: bundle(
                "hello",
                "onEvent",
                `event: "post-connection-creation",
                 exec: async (nango) => { await nango.setMetadata({ greeted: nango.connectionId }); },`,
              ),
              ts: "// hello",
            },
          },
        ],
      },
    ],
    deployMode: "all",
    reconcile,
    debug: false,
    sdkVersion: "0.71.10-zero",
  };
}

test("it plans, deploys and its functions run", async () => {
  const plan = await call("/sync/deploy/confirmation", upload(false));
  const deployed = await call("/sync/deploy", {
    ...upload(true),
    nangoYamlBody: "",
    source: "repo",
  });
  await call("/connections", {
    provider_config_key: "free",
    connection_id: "c1",
    credentials: { type: "NONE" },
  });
  const place = { "provider-config-key": "free", "connection-id": "c1" };
  const added = await call("/action/trigger", { action_name: "add", input: { a: 1 } }, place);

  expect(plan.status, JSON.stringify(plan.body)).toBe(200);
  expect(plan.body).toMatchObject({
    newSyncs: [{ name: "things", providerConfigKey: "free" }],
    newActions: [{ name: "add" }],
    newOnEventScripts: [{ name: "hello" }],
  });
  expect(deployed.status, JSON.stringify(deployed.body)).toBe(200);
  expect(deployed.body).toMatchObject([
    { name: "things", version: "1.0.0" },
    { name: "add" },
    { name: "hello" },
  ]);
  expect(added.body).toEqual({
    hash: "356a192b7913b04c54574d18c28d46e6395428ab",
    host: "a.test",
  });
  await vi.waitFor(
    async () => {
      const { body } = await call("/connections/c1?provider_config_key=free");
      expect(body.metadata).toEqual({ greeted: "c1" });
      const records = await call("/records?model=Thing", undefined, place);
      expect(records.body.records).toMatchObject([{ id: "1" }]);
    },
    { timeout: 30_000, interval: 200 },
  );
}, 60_000);

test("its question before a deployment is answered with what the deployment would remove", async () => {
  await call("/sync/deploy", { ...upload(true), nangoYamlBody: "" });
  const [sync] = upload(false).flowConfigs;
  const without = { ...upload(false), flowConfigs: [sync], onEventScriptsByProvider: [] };

  const { body } = await call("/sync/deploy/confirmation", without);

  expect(body).toMatchObject({
    deletedActions: [{ name: "add" }],
    deletedOnEventScripts: [{ name: "hello" }],
    deletedSyncs: [],
  });
});

test("a package that functions do not have is refused by its name, before anything is deployed", async () => {
  const soap = upload(true, 'var soap = __toESM(require("soap"));\n');

  const { status, body } = await call("/sync/deploy", { ...soap, nangoYamlBody: "" });

  expect(status).toBe(400);
  expect(body.error.message).toMatch(/The action "add" of integration "free" requires "soap"/);
});
