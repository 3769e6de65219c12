import { Readable } from "node:stream";
import type { auditRoutes } from "@jackfield/contract";
import type { SystemContext } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { findHead, findSeal } from "./chain/store.ts";
import { listAuditEvents, readAuditEvents } from "./list-audit-events.ts";
import { csvHead, presentEvent, toCsvLine } from "./present-event.ts";
import type { AuditFilter } from "./store.ts";

export const auditHandlers = {
  listAuditEvents: async (ctx, { query }) => {
    const { limit = 100, cursor, ...filter } = query;
    const page = await listAuditEvents(ctx, { filter: toFilter(filter), limit, cursor });
    return { data: page.events.map(presentEvent), next_cursor: page.nextCursor };
  },
  exportAuditEvents: async (ctx, { query }, { reply }) => {
    const { format = "ndjson", ...filter } = query;
    await reply
      .status(200)
      .headers({
        "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
        "content-disposition": `attachment; filename="audit.${format}"`,
        "cache-control": "no-store",
      })
      .send(Readable.from(write(ctx, toFilter(filter), format)));
  },
  getAuditHead: async (ctx) => {
    const head = await findHead(ctx.db);
    const seal = head === undefined ? undefined : await findSeal(ctx.db, head.lastSeal);
    return {
      data: {
        seal_id: seal?.id ?? null,
        seal: seal?.seal.toString("hex") ?? null,
        sealed_at: seal?.sealedAt.toISOString() ?? null,
      },
    };
  },
} satisfies RouteHandlers<typeof auditRoutes>;

async function* write(
  ctx: SystemContext,
  filter: AuditFilter,
  format: "ndjson" | "csv",
): AsyncGenerator<string> {
  if (format === "csv") yield csvHead;
  for await (const row of readAuditEvents(ctx, filter)) {
    yield format === "csv" ? toCsvLine(row) : `${JSON.stringify(presentEvent(row))}\n`;
  }
}

function toFilter(sent: {
  action?: string | undefined;
  actor?: string | undefined;
  environment_id?: string | undefined;
  outcome?: "done" | "refused" | undefined;
  from?: string | undefined;
  to?: string | undefined;
}): AuditFilter {
  return {
    action: sent.action,
    actorId: sent.actor,
    environmentId: sent.environment_id,
    outcome: sent.outcome,
    from: sent.from === undefined ? undefined : new Date(sent.from),
    to: sent.to === undefined ? undefined : new Date(sent.to),
  };
}
