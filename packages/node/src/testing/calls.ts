import type { Jackfield } from "../index.ts";
import { agentCalls } from "./agent-calls.ts";
import { endUserCalls } from "./end-user-calls.ts";
import { environmentCalls } from "./environment-calls.ts";
import { logCalls } from "./log-calls.ts";
import { recordCalls } from "./record-calls.ts";
import { userCalls } from "./user-calls.ts";

const crm = { providerConfigKey: "crm", connectionId: "c 1" };
const at = { provider_config_key: "crm", connection_id: "c 1" };

/** A call of each method, the line of its request, and its body. */
export const calls: readonly [string, (client: Jackfield) => Promise<unknown>, string, unknown?][] =
  [
    ["providers.list", (j) => j.providers.list({ search: "a" }), "GET /providers?search=a"],
    ["providers.get", (j) => j.providers.get({ provider: "p" }), "GET /providers/p"],
    ["customProviders.list", (j) => j.customProviders.list(), "GET /custom-providers"],
    ["customProviders.get", (j) => j.customProviders.get("acme"), "GET /custom-providers/acme"],
    [
      "customProviders.create",
      (j) => j.customProviders.create({ entry: { id: "acme" } }),
      "POST /custom-providers",
      { entry: { id: "acme" } },
    ],
    [
      "customProviders.update",
      (j) => j.customProviders.update("acme", { entry: { id: "acme" } }),
      "PATCH /custom-providers/acme",
      { entry: { id: "acme" } },
    ],
    [
      "customProviders.delete",
      (j) => j.customProviders.delete("acme"),
      "DELETE /custom-providers/acme",
    ],
    [
      "providers.validate",
      (j) => j.providers.validate({ file: "family: acme" }),
      "POST /providers/validate",
      { file: "family: acme" },
    ],
    [
      "providers.listStages",
      (j) => j.providers.listStages({ provider: "p", from: "2026-01-02" }),
      "GET /provider-stages?provider=p&from=2026-01-02",
    ],
    [
      "integrations.list",
      (j) => j.integrations.list({ include: "stats" }),
      "GET /integrations?include=stats",
    ],
    [
      "integrations.get",
      (j) => j.integrations.get({ uniqueKey: "a/b" }, { include: ["webhook", "credentials"] }),
      "GET /integrations/a%2Fb?include=webhook&include=credentials",
    ],
    [
      "integrations.create",
      (j) => j.integrations.create({ provider: "p", unique_key: "k" }),
      "POST /integrations",
      { provider: "p", unique_key: "k" },
    ],
    [
      "integrations.update",
      (j) => j.integrations.update({ uniqueKey: "k" }, { unique_key: "n" }),
      "PATCH /integrations/k",
      { unique_key: "n" },
    ],
    ["integrations.delete", (j) => j.integrations.delete("k"), "DELETE /integrations/k"],
    [
      "functions.list",
      (j) => j.functions.list({ uniqueKey: "k", type: "sync", page: 1 }),
      "GET /integrations/k/functions?type=sync&page=1",
    ],
    [
      "functions.get",
      (j) => j.functions.get({ uniqueKey: "k", name: "f" }),
      "GET /integrations/k/functions/f",
    ],
    [
      "functions.getCode",
      (j) => j.functions.getCode({ uniqueKey: "k", name: "f" }),
      "GET /integrations/k/functions/f/code",
    ],
    [
      "functions.listAll",
      (j) => j.functions.listAll({ type: "sync", limit: 5 }),
      "GET /functions?type=sync&limit=5",
    ],
    [
      "functions.getEgress",
      (j) => j.functions.getEgress({ uniqueKey: "k", name: "f", days: 3, connection_id: "c" }),
      "GET /integrations/k/functions/f/egress?days=3&connection_id=c",
    ],
    [
      "functions.listVersions",
      (j) => j.functions.listVersions({ uniqueKey: "k", name: "f", type: "sync" }),
      "GET /integrations/k/functions/f/versions?type=sync",
    ],
    [
      "functions.getVersionCode",
      (j) => j.functions.getVersionCode({ uniqueKey: "k", name: "f", id: 7 }),
      "GET /integrations/k/functions/f/versions/7/code",
    ],
    [
      "deployments.listPast",
      (j) => j.deployments.listPast({ limit: 5 }),
      "GET /deployments?limit=5",
    ],
    ["deployments.rollBack", (j) => j.deployments.rollBack("d1"), "POST /deployments/d1/rollback"],
    ["canaries.list", (j) => j.canaries.list({ limit: 5 }), "GET /canaries?limit=5"],
    ["canaries.get", (j) => j.canaries.get("c1"), "GET /canaries/c1"],
    ["canaries.promote", (j) => j.canaries.promote("c1"), "POST /canaries/c1/promote"],
    ["canaries.rollBack", (j) => j.canaries.rollBack("c1"), "POST /canaries/c1/rollback"],
    [
      "functions.delete",
      (j) => j.functions.delete({ uniqueKey: "k", name: "f", type: "sync" }),
      "DELETE /integrations/k/functions/f?type=sync",
    ],
    ["agent.listTools", (j) => j.agent.listTools({ limit: 5 }), "GET /agent/tools?limit=5"],
    [
      "functions.getScriptsConfig",
      (j) => j.functions.getScriptsConfig("llm"),
      "GET /scripts/config?format=llm",
    ],
    [
      "connections.list",
      (j) => j.connections.list({ integrationId: ["a", "b"], tags: { team: "x" }, limit: 5 }),
      "GET /connections?tags%5Bteam%5D=x&limit=5&integrationId=a%2Cb",
    ],
    [
      "connections.count",
      (j) => j.connections.count({ integrationId: "a" }),
      "GET /connections/count?integrationId=a",
    ],
    [
      "connections.refresh",
      (j) => j.connections.refresh(crm),
      "POST /connections/c%201/refresh?provider_config_key=crm",
    ],
    [
      "connections.get",
      (j) => j.connections.get({ ...crm, forceRefresh: true, refreshToken: true }),
      "GET /connections/c%201?provider_config_key=crm&force_refresh=true&refresh_token=true",
    ],
    [
      "connections.import",
      (j) => j.connections.import({ provider_config_key: "crm", credentials: { type: "NONE" } }),
      "POST /connections",
      { provider_config_key: "crm", credentials: { type: "NONE" } },
    ],
    [
      "connections.update",
      (j) =>
        j.connections.update({ connectionId: "c", providerConfigKey: "k" }, { tags: { a: "b" } }),
      "PATCH /connections/c?provider_config_key=k",
      { tags: { a: "b" } },
    ],
    [
      "connections.delete",
      (j) => j.connections.delete({ providerConfigKey: "crm", connectionId: "c" }),
      "DELETE /connections/c?provider_config_key=crm",
    ],
    [
      "connections.setMetadata",
      (j) => j.connections.setMetadata(crm, { a: 1 }),
      "POST /connections/metadata",
      { ...at, metadata: { a: 1 } },
    ],
    [
      "connections.updateMetadata",
      (j) => j.connections.updateMetadata(crm, { a: 1 }),
      "PATCH /connections/metadata",
      { ...at, metadata: { a: 1 } },
    ],
    ["connectSessions.create", (j) => j.connectSessions.create(), "POST /connect/sessions", {}],
    [
      "connectSessions.createReconnect",
      (j) => j.connectSessions.createReconnect({ connection_id: "c", integration_id: "k" }),
      "POST /connect/sessions/reconnect",
      { connection_id: "c", integration_id: "k" },
    ],
    ...recordCalls,
    [
      "syncs.trigger",
      (j) => j.syncs.trigger({ ...crm, syncs: ["a"], reset: true }),
      "POST /sync/trigger",
      { ...at, syncs: ["a"], opts: { reset: true } },
    ],
    [
      "syncs.start",
      (j) => j.syncs.start({ ...crm, syncs: ["a"] }),
      "POST /sync/start",
      { ...at, syncs: ["a"] },
    ],
    [
      "syncs.pause",
      (j) => j.syncs.pause({ ...crm, syncs: ["a"] }),
      "POST /sync/pause",
      { ...at, syncs: ["a"] },
    ],
    [
      "syncs.list",
      (j) => j.syncs.list({ state: "failing", limit: 5 }),
      "GET /syncs?state=failing&limit=5",
    ],
    [
      "syncs.listReconciliations",
      (j) => j.syncs.listReconciliations({ missed: true }),
      "GET /syncs/reconciliations?missed=true",
    ],
    ["syncs.listRuns", (j) => j.syncs.listRuns("s1", { limit: 5 }), "GET /syncs/s1/runs?limit=5"],
    ["syncs.cancelRun", (j) => j.syncs.cancelRun("r1"), "POST /runs/r1/cancel"],
    [
      "syncs.status",
      (j) =>
        j.syncs.status({ providerConfigKey: "crm", syncs: ["a", { name: "b", variant: "v" }] }),
      "GET /sync/status?provider_config_key=crm&syncs=a%2Cb%3A%3Av",
    ],
    [
      "syncs.setFrequency",
      (j) => j.syncs.setFrequency({ ...crm, sync: { name: "a", variant: "v" }, frequency: null }),
      "PUT /sync/update-connection-frequency",
      { ...at, sync_name: "a", sync_variant: "v", frequency: null },
    ],
    [
      "syncs.confirmDeletes",
      (j) => j.syncs.confirmDeletes({ ...crm, sync: "a" }),
      "POST /sync/confirm-deletes",
      { ...at, sync: "a" },
    ],
    [
      "syncs.createVariant",
      (j) => j.syncs.createVariant({ ...at, name: "a", variant: "v" }),
      "POST /sync/a/variant/v",
      at,
    ],
    [
      "syncs.deleteVariant",
      (j) => j.syncs.deleteVariant({ ...at, name: "a", variant: "v" }),
      "DELETE /sync/a/variant/v",
      at,
    ],
    [
      "actions.trigger",
      (j) => j.actions.trigger({ ...crm, action: "act", input: { a: 1 } }),
      "POST /action/trigger",
      { action_name: "act", input: { a: 1 } },
    ],
    [
      "actions.triggerAsync",
      (j) => j.actions.triggerAsync({ ...crm, action: "act", input: 0, maxRetries: 2 }),
      "POST /action/trigger",
      { action_name: "act", input: 0 },
    ],
    ["actions.getResult", (j) => j.actions.getResult({ id: "i" }), "GET /action/i"],
    ["variables.list", (j) => j.variables.list(), "GET /environment-variables"],
    [
      "functions.update",
      (j) => j.functions.update({ uniqueKey: "k", name: "f" }, { enabled: false }),
      "PATCH /integrations/k/functions/f",
      { enabled: false },
    ],
    [
      "connections.updateConfig",
      (j) => j.connections.updateConfig(crm, { a: "b" }),
      "PATCH /connection/c%201/config",
      { a: "b" },
    ],
    ...environmentCalls,
    ...endUserCalls,
    ...agentCalls,
    ...userCalls,
    [
      "functions.compile",
      (j) => j.functions.compile({ code: "c" }),
      "POST /functions/compile",
      { code: "c" },
    ],
    [
      "dryRuns.create",
      (j) => j.dryRuns.create({ integration_id: "i", connection_id: "c", code: "x" }),
      "POST /functions/dryruns",
      { integration_id: "i", connection_id: "c", code: "x" },
    ],
    ["dryRuns.get", (j) => j.dryRuns.get("d"), "GET /functions/dryruns/d"],
    [
      "deployments.create",
      (j) =>
        j.deployments.create({
          type: "function",
          integration_id: "i",
          function_name: "f",
          function_type: "action",
          code: "x",
        }),
      "POST /functions/deployments",
      {
        type: "function",
        integration_id: "i",
        function_name: "f",
        function_type: "action",
        code: "x",
      },
    ],
    ["deployments.get", (j) => j.deployments.get("d"), "GET /functions/deployments/d"],
    [
      "deployments.list",
      (j) => j.deployments.list({ page: 1 }),
      "GET /functions/deployments?page=1",
    ],
    ...logCalls,
    [
      "webhookDeliveries.list",
      (j) => j.webhookDeliveries.list({ state: "failed", connection_id: "c", search: "e" }),
      "GET /webhooks/deliveries?state=failed&connection_id=c&search=e",
    ],
    ["webhookDeliveries.get", (j) => j.webhookDeliveries.get("d"), "GET /webhooks/deliveries/d"],
    [
      "webhookDeliveries.replay",
      (j) => j.webhookDeliveries.replay("d"),
      "POST /webhooks/deliveries/d/replay",
    ],
    [
      "webhookDeliveries.replayMany",
      (j) => j.webhookDeliveries.replayMany({ since: "2026-01-02T03:04:05Z" }),
      "POST /webhooks/deliveries/replay",
      { since: "2026-01-02T03:04:05Z" },
    ],
    [
      "webhookDeliveries.getReplay",
      (j) => j.webhookDeliveries.getReplay("r"),
      "GET /webhooks/replays/r",
    ],
    [
      "webhookReceivers.list",
      (j) => j.webhookReceivers.list({ limit: 5 }),
      "GET /webhooks/receivers?limit=5",
    ],
    [
      "webhookReceivers.test",
      (j) => j.webhookReceivers.test(),
      "POST /webhooks/receivers/test",
      {},
    ],
    ["inbox.replay", (j) => j.inbox.replay("w"), "POST /webhooks/inbox/w/replay"],
    [
      "inbox.replayMany",
      (j) => j.inbox.replayMany({ from: "2026-01-01T00:00:00Z" }),
      "POST /webhooks/inbox/replay",
      { from: "2026-01-01T00:00:00Z" },
    ],
    [
      "webhookReceivers.enable",
      (j) => j.webhookReceivers.enable({ url: "https://example.com/" }),
      "POST /webhooks/receivers/enable",
      { url: "https://example.com/" },
    ],
    [
      "inbox.list",
      (j) => j.inbox.list({ provider_config_key: "crm", connection_id: "c" }),
      "GET /webhooks/inbox?provider_config_key=crm&connection_id=c",
    ],
    [
      "inbox.listConnections",
      (j) => j.inbox.listConnections({ silent: true }),
      "GET /webhooks/inbox/connections?silent=true",
    ],
    [
      "inbox.listIntegrations",
      (j) => j.inbox.listIntegrations({ provider_config_key: "crm" }),
      "GET /webhooks/inbox/integrations?provider_config_key=crm",
    ],
    ["inbox.get", (j) => j.inbox.get("i"), "GET /webhooks/inbox/i"],
    ["inbox.revealBody", (j) => j.inbox.revealBody("i"), "POST /webhooks/inbox/i/reveal"],
    ["inbox.getBody", (j) => j.inbox.getBody("i"), "GET /webhooks/inbox/i/body"],
  ];
