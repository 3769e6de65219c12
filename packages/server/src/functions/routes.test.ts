import { functionRoutes } from "@jackfield/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestApp, testApp } from "#testing";
import { functions } from "./slice.ts";
import { insertTestIntegration, newAction, newOnEvent, newSync } from "./testing/index.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp({ slices: [functions] });
  await insertTestIntegration(app.ctx, "crm");
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

const upload = {
  reconcile: true,
  flowConfigs: [newSync("contacts"), newAction("act")],
  onEventScriptsByProvider: [newOnEvent("welcome")],
};

test("the plan and the deployment answer as the contract says", async () => {
  const plan = await app.server.inject({
    method: "POST",
    url: "/sync/deploy/confirmation",
    payload: upload,
  });
  const deployed = await app.server.inject({
    method: "POST",
    url: "/sync/deploy",
    payload: upload,
  });

  expect(functionRoutes.planDeployment.success.schema.parse(plan.json())).toMatchObject({
    newSyncs: [{ name: "contacts", providerConfigKey: "crm", connections: 0 }],
    newActions: [{ name: "act" }],
    newOnEventScripts: [{ name: "welcome" }],
  });
  expect(functionRoutes.deployFunctions.success.schema.parse(deployed.json())).toMatchObject([
    { name: "contacts", version: "1", type: "sync", models: ["Contact"], runs: "every 5 minutes" },
    { name: "act", type: "action", input: null, models: [], runs: null },
    { name: "welcome", version: "0.0.1", type: "on-event" },
  ]);
});

test.for([
  ["invalid_body", 400, { ...upload, unknown: 1 }],
  [
    "unknown_provider_config",
    400,
    { ...upload, flowConfigs: [newAction("a", { providerConfigKey: "no" })] },
  ],
  [
    "deploy_missing_json_schema_model",
    400,
    { ...upload, flowConfigs: [newAction("a", { input: "In" })] },
  ],
] as const)("answers %s with %s", async ([code, status, payload]) => {
  for (const url of ["/sync/deploy", "/sync/deploy/confirmation"]) {
    const response = await app.server.inject({ method: "POST", url, payload });

    expect(response.statusCode).toBe(status);
    expect(response.json().error.code).toBe(code);
  }
});
