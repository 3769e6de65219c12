import { AppError, type SystemContext } from "#platform";
import { commonDb, findDatabaseAway, withinPatience } from "#platform/db";
import { DUE_CHANNEL } from "#tasks";
import { INBOX } from "./inbox.ts";
import { insertLargeWebhook, insertWebhooks, type NewWebhook } from "./store.ts";

interface Waiting {
  readonly row: NewWebhook;
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

const BATCH_ROWS = 250;
const BATCH_BYTES = 8 * 1024 * 1024;
// In a batch, bytes are written as text twice their size; a large row goes by itself, as bytes.
const LARGE_BYTES = 256 * 1024;
// While one batch is on its way to the disk, the next is on its way to the database.
const MAX_FLUSHES = 2;
const MAX_WAITING_BYTES = 128 * 1024 * 1024;
// Whoever floods one environment leaves room for the others.
const MAX_ENVIRONMENT_BYTES: number = MAX_WAITING_BYTES / 2;

const NOTICE = { channel: DUE_CHANNEL, name: INBOX };

interface Queue {
  readonly rows: Waiting[];
  bytes: number;
}

/**
 * Stores what came in together by one commit; nobody is answered before theirs is on the disk. Of each environment
 * that waits, a batch takes as many in turn.
 */
class InboxWriter {
  readonly #queues = new Map<string, Queue>();
  #bytes = 0;
  #flushes = 0;

  async store(ctx: SystemContext, row: NewWebhook): Promise<void> {
    const queue = this.#queues.get(row.environmentId) ?? { rows: [], bytes: 0 };
    if (this.#bytes > MAX_WAITING_BYTES || queue.bytes > MAX_ENVIRONMENT_BYTES) {
      throw new AppError("overloaded", "Too many webhooks wait to be stored; send it again.", {
        headers: { "Retry-After": "1" },
      });
    }
    const { promise, resolve: stored, reject: failed } = Promise.withResolvers<void>();
    this.#queues.set(row.environmentId, queue);
    const waiting = { row, stored, failed };
    queue.rows.push(waiting);
    queue.bytes += row.request.byteLength;
    this.#bytes += row.request.byteLength;
    if (this.#flushes < MAX_FLUSHES) void this.#flush(ctx);
    try {
      await withinPatience(promise);
    } catch (error) {
      this.#forget(queue, waiting);
      throw error;
    }
  }

  /** Its sender is asked to send it again: what has not been tried by then is not stored twice. */
  #forget(queue: Queue, waiting: Waiting): void {
    const at = queue.rows.indexOf(waiting);
    if (at === -1) return;
    queue.rows.splice(at, 1);
    queue.bytes -= waiting.row.request.byteLength;
    this.#bytes -= waiting.row.request.byteLength;
  }

  async #flush(ctx: SystemContext): Promise<void> {
    this.#flushes += 1;
    // Requests that were read in the same iteration of the event loop share a batch.
    await new Promise(setImmediate);
    while (this.#queues.size > 0) await this.#flushOnce(ctx);
    this.#flushes -= 1;
  }

  async #flushOnce(ctx: SystemContext): Promise<void> {
    const batch = this.#take();
    try {
      await insert(
        ctx,
        batch.map(({ row }) => row),
      );
      for (const { stored } of batch) stored();
    } catch (error) {
      // Each by itself would fare no better.
      const isAway = findDatabaseAway(error) !== undefined;
      // One that cannot be stored, as when its environment was just deleted, must not fail the others.
      if (batch.length === 1 || isAway) for (const { failed } of batch) failed(error);
      else await Promise.all(batch.map(async (each) => await storeAlone(ctx, each)));
    }
  }

  /** The first of each environment in turn, as many as a batch holds; each environment's stay in their order. */
  #take(): Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    for (;;) {
      const [next] = this.#queues;
      if (next === undefined || batch.length === BATCH_ROWS) return batch;
      const [environmentId, queue] = next;
      const [first] = queue.rows;
      const size = first?.row.request.byteLength ?? 0;
      const isLarge = size > LARGE_BYTES;
      if (batch.length > 0 && (isLarge || bytes + size > BATCH_BYTES)) return batch;
      // Behind all others, whose first come before its next.
      this.#queues.delete(environmentId);
      if (first === undefined) continue;
      queue.rows.shift();
      queue.bytes -= size;
      this.#bytes -= size;
      bytes += size;
      batch.push(first);
      if (queue.rows.length > 0) this.#queues.set(environmentId, queue);
      if (isLarge) return batch;
    }
  }
}

async function insert(ctx: SystemContext, rows: readonly NewWebhook[]): Promise<void> {
  const [only] = rows;
  if (rows.length === 1 && only !== undefined && only.request.byteLength > LARGE_BYTES) {
    await insertLargeWebhook(ctx.db, only, NOTICE);
  } else await insertWebhooks(ctx.db, rows, NOTICE);
}

async function storeAlone(ctx: SystemContext, { row, stored, failed }: Waiting) {
  try {
    await insert(ctx, [row]);
    stored();
  } catch (error) {
    failed(error);
  }
}

// One for each running server; its keys are the same object in all of its contexts.
const writers = new WeakMap<SystemContext["keys"], InboxWriter>();

/** Resolves once the webhook is durable. */
export async function storeWebhook(ctx: SystemContext, row: NewWebhook): Promise<void> {
  const writer = writers.get(ctx.keys) ?? new InboxWriter();
  writers.set(ctx.keys, writer);
  // Written for all environments together.
  await writer.store({ ...ctx, db: commonDb(ctx.db) }, row);
}
