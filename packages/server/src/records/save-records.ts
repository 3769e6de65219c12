import { createHmac } from "node:crypto";
import type { ConnectionUuid, EnvironmentContext } from "#platform";
import { withTransaction } from "#platform/db";
import { createSealer, deriveKey } from "#vault";
import { type RecordWriter, recordsChanged } from "./hooks.ts";
import type { RecordChanges } from "./model.ts";
import { findDifferences, lockModel, writeRecordRows } from "./store.ts";

export interface RecordBatch {
  readonly connection: ConnectionUuid;
  /** Name under which the model is stored. */
  readonly model: string;
  readonly writer: RecordWriter;
  /** Each once, at most 1000. */
  readonly ids: readonly string[];
  /** A JSON object per id, in canonical form, so that equal records have equal bytes. */
  readonly lines: readonly Uint8Array[];
}

/** Stores the records that are new or differ from what is stored; the others cost no write. */
export async function saveRecords(
  ctx: EnvironmentContext,
  batch: RecordBatch,
): Promise<RecordChanges> {
  const { connection, model, writer, ids, lines } = batch;
  const environmentId = ctx.environment.id;
  const hashKey = await deriveKey(ctx, { environmentId, purpose: "record-hash" });
  const seal = await createSealer(ctx, environmentId);
  const hashes = lines.map((line) => createHmac("sha256", hashKey).update(line).digest());
  const now = ctx.clock.now();
  return await withTransaction(ctx, async (ctx) => {
    const modelId = await lockModel(ctx.db, environmentId, { connection, model }, now);
    const candidates = { ids, hashes: Buffer.concat(hashes) };
    const found = await findDifferences(ctx.db, modelId, candidates);
    const added = found.filter((difference) => difference.added).length;
    const rows = found.map(({ position }) => {
      const { id, hash, line } = recordAt(position, { ids, hashes, lines });
      const payload = seal(payloadPlace(connection, model, id), line);
      return { id, hash, payload };
    });
    if (rows.length > 0) await writeRecordRows(ctx.db, modelId, { rows, added, now });
    const updated = rows.length - added;
    const changes = { added, updated, unchanged: ids.length - rows.length, deleted: 0 };
    await ctx.hooks.tell(recordsChanged, ctx, { writer, connection, model, changes });
    return changes;
  });
}

function recordAt(
  position: number,
  batch: {
    ids: readonly string[];
    hashes: readonly Buffer[];
    lines: readonly Uint8Array[];
  },
): { id: string; hash: Buffer; line: Uint8Array } {
  const [id, hash, line] = [batch.ids[position], batch.hashes[position], batch.lines[position]];
  if (id === undefined || hash === undefined || line === undefined) {
    throw new Error(`a batch of ${batch.ids.length} records has no record ${position}`);
  }
  return { id, hash, line };
}

/** A payload opens only as the record that it was saved as. */
export function payloadPlace(connection: ConnectionUuid, model: string, id: string) {
  return { table: "records", column: "payload", row: `${connection}/${model}/${id}` };
}
