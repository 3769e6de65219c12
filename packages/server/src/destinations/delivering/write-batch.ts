import type { EnvironmentContext } from "#foundation";
import type { TargetConnection } from "../target/connection/store.ts";
import { DeliveryError } from "../target/delivery-error.ts";
import {
  addRecordTable,
  addStateTable,
  deleteSource,
  emptyTable,
  inTargetTransaction,
  lockState,
  moveCursor,
  type TargetState,
  type TargetTable,
  upsertEach,
  upsertRows,
} from "../target/store.ts";
import type { Batch } from "./batches.ts";
import { Fenced } from "./sink.ts";

/** Rows of one source that one transaction removes. */
const REMOVED_AT_ONCE = 10_000;

/** What the caller believes the state of the table to be; a transaction that finds another writes nothing. */
export interface Fence extends TargetTable {
  readonly destination: string;
  readonly generation: number;
  readonly cursor: string | null;
}

/** Makes the tables where they are missing, and empties the table where it was filled for an older generation. */
export async function prepareTable(
  { client }: TargetConnection,
  wanted: Omit<Fence, "cursor">,
): Promise<TargetState> {
  return await inTargetTransaction(client, async () => {
    await addStateTable(client, wanted);
    await addRecordTable(client, wanted, wanted);
    const state = await lockState(client, wanted);
    if (state?.destination !== wanted.destination) {
      throw new DeliveryError(
        "table_taken",
        `${wanted.schema}.${wanted.table} was there before and is not this destination's: choose another name, or drop the table.`,
      );
    }
    if (state.generation > wanted.generation) throw new Fenced();
    if (state.generation === wanted.generation) return state;
    await emptyTable(client, wanted, wanted.generation);
    return { ...state, generation: wanted.generation, cursor: null };
  });
}

/** Writes a batch with the position behind it; throws Fenced where the position before it is not what is stored. */
export async function writeBatch(
  ctx: EnvironmentContext,
  connection: TargetConnection,
  { fence, batch, cursor }: { fence: Fence; batch: Batch; cursor: string },
): Promise<void> {
  if (batch.kind === "removed") await removeSource(ctx, connection, fence, batch.source);
  await guarded(ctx, connection, fence, async () => {
    const { client } = connection;
    if (batch.kind === "rows" && batch.rows.length > 0) {
      await client.query("savepoint batch");
      try {
        await upsertRows(client, fence, batch.rows);
      } catch (error) {
        if (!isOfContent(error)) throw error;
        await client.query("rollback to savepoint batch");
        await upsertEach(client, fence, batch.rows, isOfContent);
      }
    }
    await moveCursor(client, fence, cursor);
  });
}

/** In several transactions, for a model can have millions; the caller that continues after a crash removes the rest. */
async function removeSource(
  ctx: EnvironmentContext,
  connection: TargetConnection,
  fence: Fence,
  source: string,
): Promise<void> {
  for (;;) {
    const removed = await guarded(
      ctx,
      connection,
      fence,
      async () => await deleteSource(connection.client, fence, { source, limit: REMOVED_AT_ONCE }),
    );
    if (removed < REMOVED_AT_ONCE) return;
  }
}

async function guarded<Result>(
  ctx: EnvironmentContext,
  connection: TargetConnection,
  fence: Fence,
  work: () => Promise<Result>,
): Promise<Result> {
  connection.requireAlive();
  const { client } = connection;
  return await inTargetTransaction(client, async () => {
    const state = await lockState(client, fence);
    const isOurs =
      state?.destination === fence.destination &&
      state.generation === fence.generation &&
      state.cursor === fence.cursor;
    if (!isOurs) throw new Fenced();
    const result = await work();
    await ctx.failpoints.hit("destinations.before_commit");
    return result;
  });
}

/** What Postgres refuses to hold, such as a number with a million digits: SQLSTATE 22 and 54. */
function isOfContent(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(22|54)/.test(String(error.code));
}
