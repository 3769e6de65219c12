import type { RouteOutput, recordQuarantineRoutes } from "@jackfield/contract";
import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { keysetCursor } from "#foundation";
import { openMany } from "#vault";
import { sampleAad } from "../model.ts";
import { findModel } from "../models/known-model.ts";
import { listQuarantinedModels, type QuarantinedModel } from "../models/store.ts";
import { listReasons, listSamples, type ReasonRow } from "./store.ts";

type QuarantinePage = RouteOutput<typeof recordQuarantineRoutes.listQuarantine>;
type Samples = RouteOutput<typeof recordQuarantineRoutes.listQuarantineSamples>;

const cursors = keysetCursor({ radix: 36, separator: "/", ids: "number" });
/** The order is that of numbers alone. */
const NO_TIME = new Date(0);

/** Models with quarantined records, the newest model first; throws invalid_cursor. */
export async function listQuarantine(
  ctx: EnvironmentContext,
  query: {
    readonly connection: ConnectionUuid | undefined;
    /** As it is stored. */
    readonly model: string | undefined;
    readonly limit: number;
    readonly cursor: string | undefined;
  },
): Promise<QuarantinePage> {
  const { connection, model, limit, cursor } = query;
  const before = cursor === undefined ? undefined : Number(cursors.read(cursor).id);
  const filter = { connection, model, before, limit: limit + 1 };
  const rows = await listQuarantinedModels(ctx.db, ctx.environment.id, filter);
  const page = rows.slice(0, limit);
  const reasons = await listReasons(
    ctx.db,
    page.map(({ id }) => id),
  );
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next = last && cursors.write({ createdAt: NO_TIME, id: String(last.id) });
  return { data: page.map((row) => presentModel(row, reasons)), next_cursor: next ?? null };
}

function presentModel(
  row: QuarantinedModel,
  reasons: readonly ReasonRow[],
): QuarantinePage["data"][number] {
  const [model = row.model, variant = "base"] = row.model.split("::");
  return {
    provider_config_key: row.integrationKey,
    connection_id: row.connectionId,
    model,
    variant,
    count: row.quarantined,
    since: row.quarantinedSince.toISOString(),
    reasons: reasons
      .filter((reason) => reason.model === row.id)
      .map(({ reason, firstAt, lastAt, ...rest }) => ({
        ...{ id: reason, pointer: rest.pointer, code: rest.code },
        expected: rest.expected === "" ? null : rest.expected,
        received: rest.received === "" ? null : rest.received,
        ...{ count: rest.count, first_seen_at: firstAt.toISOString() },
        last_seen_at: lastAt.toISOString(),
      })),
  };
}

/** Samples of a model, the oldest first; none where the model has none. */
export async function listQuarantineSamples(
  ctx: EnvironmentContext,
  wanted: {
    readonly connection: ConnectionUuid;
    readonly model: string;
    readonly reason: number | undefined;
    readonly limit: number;
  },
): Promise<Samples> {
  const { connection, model } = wanted;
  const known = await findModel(ctx, { connection, model });
  if (known === undefined) return { data: [] };
  const rows = await listSamples(ctx.db, known.id, wanted);
  const aad = { environmentId: ctx.environment.id, ...sampleAad(connection, model) };
  const texts = rows.map(({ id, payload }) => ({ rest: id, sealed: payload }));
  const lines = await openMany(ctx, aad, texts);
  return {
    data: rows.map(({ id, reason, notedAt }, index) => ({
      ...{ id, reason, noted_at: notedAt.toISOString() },
      record: toRecord(lines[index]),
    })),
  };
}

/** Null when what is stored was changed in the database. */
function toRecord(line: Buffer | undefined): Record<string, unknown> | null {
  return line === undefined
    ? null
    : Object.fromEntries(Object.entries(JSON.parse(line.toString())));
}
