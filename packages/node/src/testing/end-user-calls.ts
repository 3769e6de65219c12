import type { SampleCall } from "./sample-call.ts";

/** Calls of the methods about end users. */
export const endUserCalls: readonly SampleCall[] = [
  ["eraseEndUser", (j) => j.eraseEndUser("u 1"), "DELETE /end-users/u%201"],
  ["listErasures", (j) => j.listErasures({ end_user_id: "u1" }), "GET /erasures?end_user_id=u1"],
  ["getInstallation", (j) => j.getInstallation(), "GET /installation"],
  [
    "diagnoseConnection",
    (j) => j.diagnoseConnection("crm", "c"),
    "POST /connections/c/diagnose?provider_config_key=crm",
  ],
  [
    "createConnectLink",
    (j) => j.createConnectLink({ tags: { end_user_id: "u1" } }),
    "POST /connect/links",
    { tags: { end_user_id: "u1" } },
  ],
  ["listConnectLinks", (j) => j.listConnectLinks({ limit: 5 }), "GET /connect/links?limit=5"],
  ["revokeConnectLink", (j) => j.revokeConnectLink("l"), "DELETE /connect/links/l"],
  [
    "startBulkJob",
    (j) => j.startBulkJob({ action: "syncs:pause", filter: { state: "failing" } }),
    "POST /bulk",
    { action: "syncs:pause", filter: { state: "failing" } },
  ],
  ["listBulkJobs", (j) => j.listBulkJobs({ limit: 5 }), "GET /bulk?limit=5"],
  ["getBulkJob", (j) => j.getBulkJob("b"), "GET /bulk/b"],
  ["stopBulkJob", (j) => j.stopBulkJob("b"), "DELETE /bulk/b"],
  [
    "revealConnectionField",
    (j) => j.revealConnectionField("crm", "c", "access_token"),
    "POST /connections/c/reveal?provider_config_key=crm",
    { field: "access_token" },
  ],
  [
    "revealIntegrationField",
    (j) => j.revealIntegrationField("crm", "client_secret"),
    "POST /integrations/crm/reveal",
    { field: "client_secret" },
  ],
  ["getErasure", (j) => j.getErasure("e"), "GET /erasures/e"],
];
