import type { SampleCall } from "./sample-call.ts";

/** Calls of the methods about end users. */
export const endUserCalls: readonly SampleCall[] = [
  ["endUsers.erase", (j) => j.endUsers.erase("u 1"), "DELETE /end-users/u%201"],
  [
    "endUsers.listErasures",
    (j) => j.endUsers.listErasures({ end_user_id: "u1" }),
    "GET /erasures?end_user_id=u1",
  ],
  ["installation.get", (j) => j.installation.get(), "GET /installation"],
  [
    "connections.diagnose",
    (j) => j.connections.diagnose({ providerConfigKey: "crm", connectionId: "c" }),
    "POST /connections/c/diagnose?provider_config_key=crm",
  ],
  [
    "connectLinks.create",
    (j) => j.connectLinks.create({ tags: { end_user_id: "u1" } }),
    "POST /connect/links",
    { tags: { end_user_id: "u1" } },
  ],
  [
    "connectLinks.createReconnect",
    (j) => j.connectLinks.createReconnect({ filter: { search: "ada" } }),
    "POST /connect/links/reconnect",
    { filter: { search: "ada" } },
  ],
  ["connectLinks.list", (j) => j.connectLinks.list({ limit: 5 }), "GET /connect/links?limit=5"],
  ["connectLinks.revoke", (j) => j.connectLinks.revoke("l"), "DELETE /connect/links/l"],
  [
    "bulkJobs.start",
    (j) => j.bulkJobs.start({ action: "syncs:pause", filter: { state: "failing" } }),
    "POST /bulk",
    { action: "syncs:pause", filter: { state: "failing" } },
  ],
  [
    "revocations.start",
    (j) => j.revocations.start({ match: { end_user_id: "u1" }, rehearsal: true }),
    "POST /revocations",
    { match: { end_user_id: "u1" }, rehearsal: true },
  ],
  ["revocations.list", (j) => j.revocations.list({ limit: 5 }), "GET /revocations?limit=5"],
  ["revocations.get", (j) => j.revocations.get("r"), "GET /revocations/r"],
  [
    "revocations.listConnections",
    (j) => j.revocations.listConnections("r", { state: "failed" }),
    "GET /revocations/r/connections?state=failed",
  ],
  [
    "revocations.release",
    (j) => j.revocations.release("r", { ids: [1] }),
    "POST /revocations/r/release",
    { ids: [1] },
  ],
  ["revocations.rotateKey", (j) => j.revocations.rotateKey(), "POST /revocation-keys/rotate"],
  ["revocations.keys", (j) => j.revocations.keys("e"), "GET /revocation-keys/e"],
  [
    "connections.uses",
    (j) => j.connections.uses({ providerConfigKey: "crm", connectionId: "c", limit: 5 }),
    "GET /connections/c/uses?provider_config_key=crm&limit=5",
  ],
  [
    "integrations.listRateLimits",
    (j) => j.integrations.listRateLimits({ provider_config_key: "crm" }),
    "GET /rate-limits?provider_config_key=crm",
  ],
  [
    "oldPlatforms.create",
    (j) => j.oldPlatforms.create({ name: "n", url: "https://old.example", secret_key: "k" }),
    "POST /old-platforms",
    { name: "n", url: "https://old.example", secret_key: "k" },
  ],
  ["oldPlatforms.list", (j) => j.oldPlatforms.list(), "GET /old-platforms"],
  ["oldPlatforms.get", (j) => j.oldPlatforms.get("o"), "GET /old-platforms/o"],
  [
    "oldPlatforms.update",
    (j) => j.oldPlatforms.update("o", { secret_key: "k" }),
    "PATCH /old-platforms/o",
    { secret_key: "k" },
  ],
  ["oldPlatforms.delete", (j) => j.oldPlatforms.delete("o"), "DELETE /old-platforms/o"],
  [
    "oldPlatforms.readThrough",
    (j) => j.oldPlatforms.readThrough("o", { provider_config_key: "crm", connection_id: "c" }),
    "POST /old-platforms/o/connections",
    { provider_config_key: "crm", connection_id: "c" },
  ],
  [
    "oldPlatforms.listConnections",
    (j) => j.oldPlatforms.listConnections("o", { state: "read_through", limit: 5 }),
    "GET /old-platforms/o/connections?state=read_through&limit=5",
  ],
  [
    "oldPlatforms.handOver",
    (j) => j.oldPlatforms.handOver("o", { limit: 5 }),
    "POST /old-platforms/o/hand-over",
    { limit: 5 },
  ],
  [
    "oldPlatforms.handBack",
    (j) => j.oldPlatforms.handBack("o", { limit: 5 }),
    "POST /old-platforms/o/hand-back",
    { limit: 5 },
  ],
  [
    "destinations.create",
    (j) =>
      j.destinations.create({ name: "w", type: "postgres", url: "postgres://u:p@h/d", table: "t" }),
    "POST /records/destinations",
    { name: "w", type: "postgres", url: "postgres://u:p@h/d", table: "t" },
  ],
  ["destinations.list", (j) => j.destinations.list(), "GET /records/destinations"],
  ["destinations.get", (j) => j.destinations.get("d"), "GET /records/destinations/d"],
  [
    "destinations.update",
    (j) => j.destinations.update("d", { paused: true }),
    "PATCH /records/destinations/d",
    { paused: true },
  ],
  [
    "destinations.restart",
    (j) => j.destinations.restart("d"),
    "POST /records/destinations/d/restart",
  ],
  ["destinations.delete", (j) => j.destinations.delete("d"), "DELETE /records/destinations/d"],
  ["bulkJobs.list", (j) => j.bulkJobs.list({ limit: 5 }), "GET /bulk?limit=5"],
  ["bulkJobs.get", (j) => j.bulkJobs.get("b"), "GET /bulk/b"],
  ["bulkJobs.stop", (j) => j.bulkJobs.stop("b"), "DELETE /bulk/b"],
  [
    "connections.revealField",
    (j) =>
      j.connections.revealField({
        providerConfigKey: "crm",
        connectionId: "c",
        field: "access_token",
      }),
    "POST /connections/c/reveal?provider_config_key=crm",
    { field: "access_token" },
  ],
  [
    "integrations.revealField",
    (j) => j.integrations.revealField("crm", "client_secret"),
    "POST /integrations/crm/reveal",
    { field: "client_secret" },
  ],
  ["endUsers.getErasure", (j) => j.endUsers.getErasure("e"), "GET /erasures/e"],
];
