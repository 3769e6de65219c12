import { inboxConnectionRoutes, inboxIntegrationRoutes, inboxRoutes } from "@jackfield/contract";
import { serveRoutes } from "#foundation/http";
import { defineSlice } from "#slice";
import { silenceWatch } from "./arrivals/find-silence.ts";
import { inboxConnectionHandlers } from "./arrivals/list-arrivals.ts";
import { readInboxBacklog } from "./backlog/store.ts";
import { deleteOldWebhooks } from "./inbox/delete-old-webhooks.ts";
import { createInboxWork } from "./inbox/inbox-work.ts";
import { deleteOldRejections } from "./intake/last-received.ts";
import { inboxIntegrationHandlers } from "./intake/list-intake.ts";
import { inboxHandlers } from "./routes.ts";

export const webhooksIn = defineSlice({
  routes: [
    ...serveRoutes(inboxRoutes, inboxHandlers),
    ...serveRoutes(inboxConnectionRoutes, inboxConnectionHandlers),
    ...serveRoutes(inboxIntegrationRoutes, inboxIntegrationHandlers),
  ],
  due: [createInboxWork, () => silenceWatch],
  daily: [deleteOldWebhooks, deleteOldRejections],
  backlogs: [readInboxBacklog],
  sealedColumns: [
    {
      ...{ table: "inbound_webhooks", column: "request", row: "t.id" },
      key: [
        ["id", "uuid"],
        ["environment_id", "uuid"],
      ],
      together: { column: "environment_id", listedIn: "environments" },
    },
  ],
});
