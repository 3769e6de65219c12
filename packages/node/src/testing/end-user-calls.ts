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
  ["connectLinks.list", (j) => j.connectLinks.list({ limit: 5 }), "GET /connect/links?limit=5"],
  ["connectLinks.revoke", (j) => j.connectLinks.revoke("l"), "DELETE /connect/links/l"],
  [
    "bulkJobs.start",
    (j) => j.bulkJobs.start({ action: "syncs:pause", filter: { state: "failing" } }),
    "POST /bulk",
    { action: "syncs:pause", filter: { state: "failing" } },
  ],
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
