import { expect, test } from "vitest";
import { actionSource, onEventSource, startFunctions } from "../functions/setup.ts";
import { startWebhookReceiver } from "../journeys/webhook-receiver.ts";

// Every kind of webhook field by field, as a customer's server gets it.

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function syncSource(statements: string): string {
  return `import { createSync } from "jackfield";
import { z } from "zod";
export default createSync({
  description: "Contacts.",
  frequency: "every hour",
  autoStart: false,
  models: { Contact: z.object({ id: z.string(), name: z.string() }), Note: z.object({ id: z.string() }) },
  checkpoint: z.object({ page: z.number() }),
  exec: async (svc) => { ${statements} },
});
`;
}

test("syncs, actions, forwards and refused overrides are reported in full, and signed", async () => {
  await using platform = await startFunctions();
  const { call } = platform;
  const { body: settings } = await call("GET", "/environment/webhooks");
  await using receiver = await startWebhookReceiver(settings.data.signing_key);
  await call("PATCH", "/environment/webhooks", { body: { primary_url: receiver.url } });
  const deploy = async (name: string, type: string, code: string) => {
    const body = {
      type: "function",
      integration_id: "crm",
      function_name: name,
      function_type: type,
      code,
    };
    const { body: job } = await call("POST", "/functions/deployments", { body });
    expect(await platform.ended(`/functions/deployments/${job.id}`)).toMatchObject({
      status: "success",
    });
  };
  const of = { from: "svc", connectionId: "acme", providerConfigKey: "crm" };

  await deploy(
    "contacts",
    "sync",
    syncSource(`const { data } = await svc.get({ endpoint: "/contacts" });
      await svc.batchSave(data, "Contact");
      await svc.saveCheckpoint({ page: 2 });`),
  );
  const trigger = { provider_config_key: "crm", syncs: ["contacts"], connection_id: "acme" };
  const triggered = await call("POST", "/sync/trigger", { body: trigger });
  expect(triggered.body).toEqual({ success: true });
  const sync = { ...of, type: "sync", syncName: "contacts", syncVariant: "base" };
  const reported = [await receiver.nth("sync", 0), await receiver.nth("sync", 1)];
  const [contacts, notes] = reported.toSorted((a) => (a["model"] === "Contact" ? -1 : 1));
  const succeeded = {
    ...sync,
    success: true,
    syncType: "INITIAL",
    modifiedAfter: expect.stringMatching(INSTANT),
    queryTimeStamp: contacts?.["modifiedAfter"],
    checkpoints: { from: null, to: { page: 2 } },
    sequence: expect.any(Number),
  };
  expect(contacts).toEqual({
    ...succeeded,
    model: "Contact",
    responseResults: { added: 2, updated: 0, deleted: 0 },
  });
  expect(notes).toEqual({
    ...succeeded,
    model: "Note",
    responseResults: { added: 0, updated: 0, deleted: 0 },
  });

  await deploy(
    "contacts",
    "sync",
    syncSource(`throw new svc.ActionError({ message: "no contacts", code: 7 });`),
  );
  await call("POST", "/sync/trigger", { body: trigger });
  expect(await receiver.nth("sync", 2)).toEqual({
    ...sync,
    success: false,
    syncType: "INCREMENTAL",
    model: "Contact,Note",
    error: {
      type: "script_error",
      description: expect.any(String),
      payload: { message: "no contacts", code: 7 },
    },
    checkpoints: { from: { page: 2 }, to: { page: 2 } },
    startedAt: expect.stringMatching(INSTANT),
    failedAt: expect.stringMatching(INSTANT),
    sequence: 3,
  });

  await deploy("greet", "action", actionSource(`({ greeting: "hello" })`));
  const headers = { "provider-config-key": "crm", "connection-id": "acme", "x-async": "true" };
  const accepted = await call("POST", "/action/trigger", {
    headers,
    body: { action_name: "greet" },
  });
  expect(await receiver.nth("async_action", 0)).toEqual({
    ...of,
    type: "async_action",
    payload: accepted.body,
    sequence: 4,
  });
  const outcome = await call("GET", accepted.body.statusUrl);
  expect(outcome.body).toEqual({ greeting: "hello" });

  await call("POST", "/integrations", {
    body: {
      provider: "unauthenticated",
      unique_key: "open",
      integration_config: { base_url: platform.provider.url },
    },
  });
  const made = await call("POST", "/connections", {
    body: {
      provider_config_key: "open",
      connection_id: "customer-1",
      credentials: { type: "NONE" },
    },
  });
  expect(made.status).toBe(201);
  const { body: shown } = await call("GET", "/integrations/open?include=webhook");
  const event = { type: "a", connectionId: "customer-1", body: { ключ: "значение", 10: 1, 9: 2 } };
  const sent = await fetch(shown.data.webhook_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(event),
  });
  expect(await sent.json()).toEqual({ status: "success" });
  expect(await receiver.nth("forward", 0)).toEqual({
    from: "unauthenticated",
    type: "forward",
    providerConfigKey: "open",
    connectionId: "customer-1",
    payload: event,
  });

  await deploy(
    "check",
    "on-event",
    onEventSource("validate-connection", `throw new svc.ActionError({ message: "not his" });`),
  );
  const again = { type: "API_KEY", apiKey: "another" };
  const refused = await call("POST", "/connections", {
    body: { provider_config_key: "crm", connection_id: "acme", credentials: again },
  });
  expect(refused.body.error.code).toBe("connection_validation_failed");
  const before = (await call("GET", "/webhooks/deliveries?type=auth")).body.data.length;
  expect(await receiver.nth("auth", before - 1)).toEqual({
    ...of,
    type: "auth",
    operation: "override",
    success: false,
    provider: "private-api-bearer",
    environment: "dev",
    authMode: "API_KEY",
    tags: {},
    error: { type: "connection_validation_failed", description: "not his" },
    sequence: 5,
  });
  const { body: flagged } = await call("GET", "/connections/acme?provider_config_key=crm");
  expect(flagged.errors).toEqual([{ type: "auth", log_id: expect.any(String) }]);
  expect(receiver.refused).toBe(0);
}, 90_000);
