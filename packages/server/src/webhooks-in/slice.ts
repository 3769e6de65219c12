import { inboxConnectionRoutes, inboxRoutes } from "@jackfield/contract";
import { serveRoutes } from "#platform/http";
import { defineSlice } from "#slice";
import { silenceWatch } from "./arrivals/find-silence.ts";
import { inboxConnectionHandlers } from "./arrivals/list-arrivals.ts";
import { readInboxBacklog } from "./backlog/store.ts";
import { deleteOldWebhooks } from "./inbox/delete-old-webhooks.ts";
import { createInboxWork } from "./inbox/inbox-work.ts";
import { inboxHandlers } from "./routes.ts";

export const webhooksIn = defineSlice({
  routes: [
    ...serveRoutes(inboxRoutes, inboxHandlers),
    ...serveRoutes(inboxConnectionRoutes, inboxConnectionHandlers),
  ],
  due: [createInboxWork, () => silenceWatch],
  daily: [deleteOldWebhooks],
  backlogs: [readInboxBacklog],
  sealedColumns: [
    {
      ...{ table: "inbound_webhooks", column: "request", row: "t.id" },
      key: [
        ["id", "uuid"],
        ["environment_id", "uuid"],
      ],
      together: "environment_id",
    },
  ],
});
