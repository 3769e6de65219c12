import type { recordRoutes } from "@jackfield/contract";
import { getConnection } from "#connections";
import { spellingsOf } from "#gateway";
import { getIntegration } from "#integrations";
import type { RouteHandlers } from "#platform/http";
import { listRecords } from "./list-records.ts";
import { storedModel } from "./model.ts";
import { presentRecords } from "./present-records.ts";

const DEFAULT_LIMIT = 100;

export const recordHandlers = {
  listRecords: async (ctx, { headers, query }, { reply }) => {
    const integration = await getIntegration(ctx, headers["provider-config-key"]);
    const connectionId = headers["connection-id"];
    const connection = await getConnection(ctx, { integration, connectionId });
    const page = await listRecords(ctx, {
      connection: connection.uuid,
      model: storedModel(query.model, query.variant ?? "base"),
      cursor: query.cursor,
      modifiedAfter: query.modified_after,
      filter: query.filter === undefined ? undefined : new Set(query.filter),
      ids: query.ids,
      limit: query.limit ?? DEFAULT_LIMIT,
    });
    await reply
      .type("application/json; charset=utf-8")
      .send(presentRecords(page, spellingsOf(ctx, "_svc_metadata")));
  },
} satisfies RouteHandlers<typeof recordRoutes>;
