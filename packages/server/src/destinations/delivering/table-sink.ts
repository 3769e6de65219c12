import { type EnvironmentContext, SECOND } from "#foundation";
import { FeedReader, findFeedPosition, writeFeedCursor } from "#records";
import type { TableDestination } from "../destination.ts";
import { restartRow } from "../store.ts";
import { connectTarget, type TargetConnection } from "../target/connection/store.ts";
import { openTarget, readTarget } from "../target/sealed-target.ts";
import { readBatches } from "./batches.ts";
import type { FeedPosition } from "./feed-position.ts";
import { Fenced, filterOf, type Sink, type SinkBatch, type SinkInput } from "./sink.ts";
import { type Fence, prepareTable, writeBatch } from "./write-batch.ts";

type TableInput = SinkInput<TableDestination>;

/** A customer's table: rows and position are written in one transaction there. */
export async function openTable(ctx: EnvironmentContext, input: TableInput): Promise<Sink> {
  const secrets = await openTarget(ctx, input.destination);
  await using stack = new AsyncDisposableStack();
  const connection = stack.use(await connectTarget(ctx, readTarget(secrets), secrets.ca));
  const begun = await begin(ctx, { ...input, connection });
  const open = stack.move();
  return {
    restMs: begun.at.position === input.head.position ? SECOND : 0,
    batches: (until) => write(ctx, { ...input, ...begun, connection, until }),
    [Symbol.asyncDispose]: async () => await open.disposeAsync(),
  };
}

async function* write(
  ctx: EnvironmentContext,
  given: TableInput & {
    fence: Fence;
    at: FeedPosition;
    connection: TargetConnection;
    until: number;
  },
): AsyncGenerator<SinkBatch, undefined, void> {
  const { head, connection, until } = given;
  const reader = new FeedReader(ctx, { at: given.at, filter: filterOf(given.destination) });
  let { fence } = given;
  for await (const batch of readBatches(ctx, reader, until)) {
    const cursor = writeFeedCursor(head, batch.at);
    yield {
      at: batch.at,
      delivered: batch.kind === "rows" ? batch.rows.length : 1,
      cursor: null,
      async write() {
        if (cursor !== fence.cursor) await writeBatch(ctx, connection, { fence, batch, cursor });
        fence = { ...fence, cursor };
      },
    };
  }
}

/** Where the table continues. A table whose position the feed does not know any more is emptied and filled again. */
async function begin(
  ctx: EnvironmentContext,
  { destination, head, connection }: TableInput & { connection: TargetConnection },
): Promise<{ fence: Fence; at: FeedPosition }> {
  const { id, place, generation } = destination;
  const wanted = { schema: place.schema, table: place.table, destination: id, generation };
  const { cursor } = await prepareTable(connection, wanted);
  const fence = { ...wanted, cursor };
  if (cursor === null) return { fence, at: { position: 0, sequence: 0 } };
  const at = findFeedPosition(head, cursor);
  if (at !== undefined) return { fence, at };
  const restarted = await restartRow(ctx.db, ctx.environment.id, { id, now: ctx.clock.now() });
  if (restarted === undefined) throw new Fenced();
  const again = { ...wanted, generation: restarted.generation };
  const state = await prepareTable(connection, again);
  return { fence: { ...again, cursor: state.cursor }, at: { position: 0, sequence: 0 } };
}
