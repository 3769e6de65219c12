import { Readable } from "node:stream";
import type { auditRoutes } from "@jackfield/contract";
import { requireFirstAccount } from "#accounts";
import type { SystemContext } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { findHead, findSeal } from "./chain/store.ts";
import { detailLookup, hashOfEntered } from "./details/digest.ts";
import { listAuditEvents, readAuditEvents } from "./list-audit-events.ts";
import { csvHead, presentEvent, toCsvLine } from "./present-event.ts";
import { MANY } from "./reads/count-reads.ts";
import { listCredentialReads } from "./reads/list-credential-reads.ts";
import type { ReadRow } from "./reads/store.ts";
import type { AuditFilter } from "./store.ts";

export const auditHandlers = {
  listAuditEvents: async (ctx, { query }) => {
    const { limit = 100, cursor, ...filter } = query;
    const page = await listAuditEvents(ctx, { filter: await toFilter(ctx, filter), limit, cursor });
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
      .send(Readable.from(write(ctx, await toFilter(ctx, filter), format)));
  },
  listCredentialReads: async (ctx, { query }) => {
    const { limit = 100, cursor, from, to } = query;
    const filter = {
      keyId: query.key_id?.toLowerCase(),
      environmentId: query.environment_id?.toLowerCase(),
      connectionId: query.connection_id,
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
    };
    const page = await listCredentialReads(ctx, { filter, limit, cursor });
    return { data: page.reads.map(presentRead), next_cursor: page.nextCursor };
  },
  getAuditHead: async (ctx) => {
    // One chain is over all accounts: how fast it grows says what others do.
    await requireFirstAccount(ctx, "sees the chain");
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

function presentRead(row: ReadRow) {
  return {
    minute: row.minute.toISOString(),
    environment_id: row.environmentId,
    key: { id: row.keyId, name: row.keyName },
    connection:
      row.connectionUuid === MANY
        ? null
        : {
            uuid: row.connectionUuid,
            connection_id: row.connectionId,
            provider_config_key: row.integrationKey,
          },
    reads: row.reads,
  };
}

async function toTarget(
  ctx: SystemContext,
  { environment_id: scope = null }: { environment_id?: string | undefined | null },
  value: string,
) {
  const kinds = [
    ["user", null],
    ["email", null],
    ["connection_id", scope],
    ["end_user_id", scope],
  ] as const;
  const entered = { kind: "email", scope: null, value: await hashOfEntered(ctx, value) };
  const hashes = kinds.map(
    async ([kind, within]) => await detailLookup(ctx, { kind, scope: within, value }),
  );
  return { value, lookups: await Promise.all([...hashes, detailLookup(ctx, entered)]) };
}

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

interface SentFilter {
  action?: string | undefined;
  actor?: string | undefined;
  environment_id?: string | undefined;
  outcome?: "done" | "refused" | undefined;
  from?: string | undefined;
  to?: string | undefined;
  target?: string | undefined;
}

/** A target is found by what it is called; where that could name a person, by a keyed hash of it. */
async function toFilter(ctx: SystemContext, sent: SentFilter): Promise<AuditFilter> {
  return {
    target: sent.target === undefined ? undefined : await toTarget(ctx, sent, sent.target),
    action: sent.action,
    actorId: sent.actor,
    environmentId: sent.environment_id,
    outcome: sent.outcome,
    from: sent.from === undefined ? undefined : new Date(sent.from),
    to: sent.to === undefined ? undefined : new Date(sent.to),
  };
}
