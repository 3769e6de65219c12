import type { Jackfield } from "../index.ts";
import { agentCalls } from "./agent-calls.ts";
import { endUserCalls } from "./end-user-calls.ts";
import { environmentCalls } from "./environment-calls.ts";
import { logCalls } from "./log-calls.ts";
import { userCalls } from "./user-calls.ts";

const at = { provider_config_key: "crm", connection_id: "c 1" };

/** A call of each method, the line of its request, and its body. */
export const calls: readonly [string, (client: Jackfield) => Promise<unknown>, string, unknown?][] =
  [
    ["listProviders", (j) => j.listProviders({ search: "a" }), "GET /providers?search=a"],
    ["getProvider", (j) => j.getProvider({ provider: "p" }), "GET /providers/p"],
    ["listCustomProviders", (j) => j.listCustomProviders(), "GET /custom-providers"],
    ["getCustomProvider", (j) => j.getCustomProvider("acme"), "GET /custom-providers/acme"],
    [
      "createCustomProvider",
      (j) => j.createCustomProvider({ entry: { id: "acme" } }),
      "POST /custom-providers",
      { entry: { id: "acme" } },
    ],
    [
      "updateCustomProvider",
      (j) => j.updateCustomProvider("acme", { entry: { id: "acme" } }),
      "PATCH /custom-providers/acme",
      { entry: { id: "acme" } },
    ],
    [
      "deleteCustomProvider",
      (j) => j.deleteCustomProvider("acme"),
      "DELETE /custom-providers/acme",
    ],
    [
      "validateProvider",
      (j) => j.validateProvider({ file: "family: acme" }),
      "POST /providers/validate",
      { file: "family: acme" },
    ],
    [
      "listProviderStages",
      (j) => j.listProviderStages({ provider: "p", from: "2026-01-02" }),
      "GET /provider-stages?provider=p&from=2026-01-02",
    ],
    ["listIntegrations", (j) => j.listIntegrations(), "GET /integrations"],
    [
      "getIntegration",
      (j) => j.getIntegration({ uniqueKey: "a/b" }, { include: ["webhook", "credentials"] }),
      "GET /integrations/a%2Fb?include=webhook&include=credentials",
    ],
    [
      "createIntegration",
      (j) => j.createIntegration({ provider: "p", unique_key: "k" }),
      "POST /integrations",
      { provider: "p", unique_key: "k" },
    ],
    [
      "updateIntegration",
      (j) => j.updateIntegration({ uniqueKey: "k" }, { unique_key: "n" }),
      "PATCH /integrations/k",
      { unique_key: "n" },
    ],
    ["deleteIntegration", (j) => j.deleteIntegration("k"), "DELETE /integrations/k"],
    [
      "listFunctions",
      (j) => j.listFunctions("k", { type: "sync", page: 1 }),
      "GET /integrations/k/functions?type=sync&page=1",
    ],
    ["getFunction", (j) => j.getFunction("k", "f"), "GET /integrations/k/functions/f"],
    ["getFunctionCode", (j) => j.getFunctionCode("k", "f"), "GET /integrations/k/functions/f/code"],
    [
      "listAllFunctions",
      (j) => j.listAllFunctions({ type: "sync", limit: 5 }),
      "GET /functions?type=sync&limit=5",
    ],
    [
      "listFunctionVersions",
      (j) => j.listFunctionVersions("k", "f", { type: "sync" }),
      "GET /integrations/k/functions/f/versions?type=sync",
    ],
    [
      "getFunctionVersionCode",
      (j) => j.getFunctionVersionCode("k", "f", 7),
      "GET /integrations/k/functions/f/versions/7/code",
    ],
    ["listPastDeployments", (j) => j.listPastDeployments({ limit: 5 }), "GET /deployments?limit=5"],
    ["rollBackDeployment", (j) => j.rollBackDeployment("d1"), "POST /deployments/d1/rollback"],
    [
      "deleteFunction",
      (j) => j.deleteFunction("k", "f", "sync"),
      "DELETE /integrations/k/functions/f?type=sync",
    ],
    ["listAgentTools", (j) => j.listAgentTools(), "GET /agent/tools"],
    ["getScriptsConfig", (j) => j.getScriptsConfig("llm"), "GET /scripts/config?format=llm"],
    [
      "listConnections",
      (j) => j.listConnections({ integrationId: ["a", "b"], tags: { team: "x" }, limit: 5 }),
      "GET /connections?tags%5Bteam%5D=x&limit=5&integrationId=a%2Cb",
    ],
    [
      "countConnections",
      (j) => j.countConnections({ integrationId: "a" }),
      "GET /connections/count?integrationId=a",
    ],
    [
      "refreshConnection",
      (j) => j.refreshConnection("crm", "c 1"),
      "POST /connections/c%201/refresh?provider_config_key=crm",
    ],
    [
      "getConnection",
      (j) => j.getConnection("crm", "c 1", true, true),
      "GET /connections/c%201?provider_config_key=crm&force_refresh=true&refresh_token=true",
    ],
    [
      "importConnection",
      (j) => j.importConnection({ provider_config_key: "crm", credentials: { type: "NONE" } }),
      "POST /connections",
      { provider_config_key: "crm", credentials: { type: "NONE" } },
    ],
    [
      "patchConnection",
      (j) =>
        j.patchConnection({ connectionId: "c", provider_config_key: "k" }, { tags: { a: "b" } }),
      "PATCH /connections/c?provider_config_key=k",
      { tags: { a: "b" } },
    ],
    [
      "deleteConnection",
      (j) => j.deleteConnection("crm", "c"),
      "DELETE /connections/c?provider_config_key=crm",
    ],
    [
      "setMetadata",
      (j) => j.setMetadata("crm", "c 1", { a: 1 }),
      "POST /connections/metadata",
      { ...at, metadata: { a: 1 } },
    ],
    [
      "updateMetadata",
      (j) => j.updateMetadata("crm", "c 1", { a: 1 }),
      "PATCH /connections/metadata",
      { ...at, metadata: { a: 1 } },
    ],
    ["createConnectSession", (j) => j.createConnectSession(), "POST /connect/sessions", {}],
    [
      "createReconnectSession",
      (j) => j.createReconnectSession({ connection_id: "c", integration_id: "k" }),
      "POST /connect/sessions/reconnect",
      { connection_id: "c", integration_id: "k" },
    ],
    [
      "listRecords",
      (j) =>
        j.listRecords({
          providerConfigKey: "crm",
          connectionId: "c",
          model: "Contact",
          filter: ["added", "updated"],
          ids: ["1", "2"],
        }),
      "GET /records?model=Contact&ids=1&ids=2&filter=added%2Cupdated",
    ],
    [
      "getRecord",
      (j) => j.getRecord({ providerConfigKey: "crm", connectionId: "c 1", model: "A", id: "x/1" }),
      "GET /records/x%2F1?model=A",
    ],
    [
      "listRecordModels",
      (j) => j.listRecordModels({ model: "A", limit: 5 }),
      "GET /records/models?model=A&limit=5",
    ],
    [
      "pruneRecords",
      (j) =>
        j.pruneRecords({ providerConfigKey: "k", connectionId: "c", model: "M", untilCursor: "x" }),
      "PATCH /records/prune",
      { model: "M", until_cursor: "x" },
    ],
    [
      "triggerSync",
      (j) => j.triggerSync("crm", ["a"], "c 1", { reset: true }),
      "POST /sync/trigger",
      { ...at, syncs: ["a"], opts: { reset: true } },
    ],
    [
      "startSync",
      (j) => j.startSync("crm", ["a"], "c 1"),
      "POST /sync/start",
      { ...at, syncs: ["a"] },
    ],
    [
      "pauseSync",
      (j) => j.pauseSync("crm", ["a"], "c 1"),
      "POST /sync/pause",
      { ...at, syncs: ["a"] },
    ],
    [
      "listSyncs",
      (j) => j.listSyncs({ state: "failing", limit: 5 }),
      "GET /syncs?state=failing&limit=5",
    ],
    ["listSyncRuns", (j) => j.listSyncRuns("s1", { limit: 5 }), "GET /syncs/s1/runs?limit=5"],
    ["cancelRun", (j) => j.cancelRun("r1"), "POST /runs/r1/cancel"],
    [
      "syncStatus",
      (j) => j.syncStatus("crm", ["a", { name: "b", variant: "v" }]),
      "GET /sync/status?provider_config_key=crm&syncs=a%2Cb%3A%3Av",
    ],
    [
      "updateSyncConnectionFrequency",
      (j) => j.updateSyncConnectionFrequency("crm", { name: "a", variant: "v" }, "c 1", null),
      "PUT /sync/update-connection-frequency",
      { ...at, sync_name: "a", sync_variant: "v", frequency: null },
    ],
    [
      "confirmDeletes",
      (j) => j.confirmDeletes("crm", "a", "c 1"),
      "POST /sync/confirm-deletes",
      { ...at, sync: "a" },
    ],
    [
      "createSyncVariant",
      (j) => j.createSyncVariant({ ...at, name: "a", variant: "v" }),
      "POST /sync/a/variant/v",
      at,
    ],
    [
      "deleteSyncVariant",
      (j) => j.deleteSyncVariant({ ...at, name: "a", variant: "v" }),
      "DELETE /sync/a/variant/v",
      at,
    ],
    [
      "triggerAction",
      (j) => j.triggerAction("crm", "c", "act", { a: 1 }),
      "POST /action/trigger",
      { action_name: "act", input: { a: 1 } },
    ],
    [
      "triggerActionAsync",
      (j) => j.triggerActionAsync("crm", "c", "act", 0, { maxRetries: 2 }),
      "POST /action/trigger",
      { action_name: "act", input: 0 },
    ],
    ["getAsyncActionResult", (j) => j.getAsyncActionResult({ id: "i" }), "GET /action/i"],
    ["getEnvironmentVariables", (j) => j.getEnvironmentVariables(), "GET /environment-variables"],
    [
      "updateFunction",
      (j) => j.updateFunction("k", "f", { enabled: false }),
      "PATCH /integrations/k/functions/f",
      { enabled: false },
    ],
    [
      "updateConnectionConfig",
      (j) => j.updateConnectionConfig("crm", "c 1", { a: "b" }),
      "PATCH /connection/c%201/config",
      { a: "b" },
    ],
    ...environmentCalls,
    ...endUserCalls,
    ...agentCalls,
    ...userCalls,
    [
      "compileFunction",
      (j) => j.compileFunction({ code: "c" }),
      "POST /functions/compile",
      { code: "c" },
    ],
    [
      "createDryRun",
      (j) => j.createDryRun({ integration_id: "i", connection_id: "c", code: "x" }),
      "POST /functions/dryruns",
      { integration_id: "i", connection_id: "c", code: "x" },
    ],
    ["getDryRun", (j) => j.getDryRun("d"), "GET /functions/dryruns/d"],
    [
      "createDeployment",
      (j) =>
        j.createDeployment({
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
    ["getDeployment", (j) => j.getDeployment("d"), "GET /functions/deployments/d"],
    ["listDeployments", (j) => j.listDeployments({ page: 1 }), "GET /functions/deployments?page=1"],
    ...logCalls,
    [
      "listWebhookDeliveries",
      (j) => j.listWebhookDeliveries({ state: "failed", connection_id: "c" }),
      "GET /webhooks/deliveries?state=failed&connection_id=c",
    ],
    ["getWebhookDelivery", (j) => j.getWebhookDelivery("d"), "GET /webhooks/deliveries/d"],
    [
      "replayWebhookDelivery",
      (j) => j.replayWebhookDelivery("d"),
      "POST /webhooks/deliveries/d/replay",
    ],
    [
      "replayWebhookDeliveries",
      (j) => j.replayWebhookDeliveries({ since: "2026-01-02T03:04:05Z" }),
      "POST /webhooks/deliveries/replay",
      { since: "2026-01-02T03:04:05Z" },
    ],
    ["getWebhookReplay", (j) => j.getWebhookReplay("r"), "GET /webhooks/replays/r"],
    [
      "listWebhookReceivers",
      (j) => j.listWebhookReceivers({ limit: 5 }),
      "GET /webhooks/receivers?limit=5",
    ],
    ["testWebhookReceiver", (j) => j.testWebhookReceiver(), "POST /webhooks/receivers/test", {}],
    ["replayInboundWebhook", (j) => j.replayInboundWebhook("w"), "POST /webhooks/inbox/w/replay"],
    [
      "replayInboundWebhooks",
      (j) => j.replayInboundWebhooks({ from: "2026-01-01T00:00:00Z" }),
      "POST /webhooks/inbox/replay",
      { from: "2026-01-01T00:00:00Z" },
    ],
    [
      "enableWebhookReceiver",
      (j) => j.enableWebhookReceiver({ url: "https://example.com/" }),
      "POST /webhooks/receivers/enable",
      { url: "https://example.com/" },
    ],
    [
      "listInbox",
      (j) => j.listInbox({ state: "failed", provider_config_key: "crm" }),
      "GET /webhooks/inbox?state=failed&provider_config_key=crm",
    ],
    ["getInboundWebhook", (j) => j.getInboundWebhook("i"), "GET /webhooks/inbox/i"],
    ["getInboundWebhookBody", (j) => j.getInboundWebhookBody("i"), "GET /webhooks/inbox/i/body"],
  ];
