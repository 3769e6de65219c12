import type { SampleCall } from "./sample-call.ts";

const at = { provider_config_key: "crm", connection_id: "c 1" };

/** Calls of the deprecated methods that take their arguments in a row. */
export const positionalCalls: readonly SampleCall[] = [
  [
    "diagnoseConnection",
    (j) => j.diagnoseConnection("crm", "c"),
    "POST /connections/c/diagnose?provider_config_key=crm",
  ],
  [
    "revealConnectionField",
    (j) => j.revealConnectionField("crm", "c", "access_token"),
    "POST /connections/c/reveal?provider_config_key=crm",
    { field: "access_token" },
  ],
  [
    "listFunctions",
    (j) => j.listFunctions("k", { type: "sync", page: 1 }),
    "GET /integrations/k/functions?type=sync&page=1",
  ],
  ["getFunction", (j) => j.getFunction("k", "f"), "GET /integrations/k/functions/f"],
  ["getFunctionCode", (j) => j.getFunctionCode("k", "f"), "GET /integrations/k/functions/f/code"],
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
  [
    "deleteFunction",
    (j) => j.deleteFunction("k", "f", "sync"),
    "DELETE /integrations/k/functions/f?type=sync",
  ],
  [
    "updateFunction",
    (j) => j.updateFunction("k", "f", { enabled: false }),
    "PATCH /integrations/k/functions/f",
    { enabled: false },
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
    "patchConnection",
    (j) => j.patchConnection({ connectionId: "c", provider_config_key: "k" }, { tags: { a: "b" } }),
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
  [
    "updateConnectionConfig",
    (j) => j.updateConnectionConfig("crm", "c 1", { a: "b" }),
    "PATCH /connection/c%201/config",
    { a: "b" },
  ],
];
