import { AppError, type SystemContext, serverState } from "#foundation";
import { BatchWriter, type RowQueue } from "#foundation/batches";
import { DUE_CHANNEL } from "#tasks";
import { insertWithin } from "../distributed/insert-within.ts";
import { isInboxPrepared } from "../distributed/is-prepared.ts";
import { insertLargeWebhook, insertWebhooks, type NewWebhook } from "../store.ts";
import { INBOX } from "./inbox.ts";

const BATCH_ROWS = 250;
const BATCH_BYTES = 8 * 1024 * 1024;
// In a batch, bytes are written as text twice their size; a large row goes by itself, as bytes.
const LARGE_BYTES = 256 * 1024;
// While one batch is on its way to the disk, the next is on its way to the database.
const MAX_FLUSHES = 2;
const MAX_WAITING_BYTES = 128 * 1024 * 1024;
// A flood of one environment leaves room for the others.
const MAX_ENVIRONMENT_BYTES: number = MAX_WAITING_BYTES / 2;

const NOTICE = { channel: DUE_CHANNEL, name: INBOX };

interface OwnRows {
  readonly rows: NewWebhook[];
  bytes: number;
}

/** Of each environment that waits, a batch takes as many in turn. */
class FairRows implements RowQueue<NewWebhook> {
  readonly #byEnvironment = new Map<string, OwnRows>();
  #bytes = 0;

  /** Throws `overloaded` where too much waits already. */
  add(row: NewWebhook): void {
    const own = this.#byEnvironment.get(row.environmentId) ?? { rows: [], bytes: 0 };
    if (this.#bytes > MAX_WAITING_BYTES || own.bytes > MAX_ENVIRONMENT_BYTES) {
      throw new AppError("overloaded", "Too many webhooks wait to be stored; send it again.", {
        headers: { "Retry-After": "1" },
      });
    }
    this.#byEnvironment.set(row.environmentId, own);
    own.rows.push(row);
    own.bytes += row.request.byteLength;
    this.#bytes += row.request.byteLength;
  }

  remove(row: NewWebhook): void {
    const own = this.#byEnvironment.get(row.environmentId);
    const at = own?.rows.indexOf(row) ?? -1;
    if (own === undefined || at === -1) return;
    own.rows.splice(at, 1);
    own.bytes -= row.request.byteLength;
    this.#bytes -= row.request.byteLength;
  }

  /** The first of each environment in turn, as many as a batch holds; each environment's stay in their order. */
  take(): readonly NewWebhook[] {
    const batch: NewWebhook[] = [];
    let bytes = 0;
    for (;;) {
      const [next] = this.#byEnvironment;
      if (next === undefined || batch.length === BATCH_ROWS) return batch;
      const [environmentId, own] = next;
      const [first] = own.rows;
      const size = first?.request.byteLength ?? 0;
      const isLarge = size > LARGE_BYTES;
      if (batch.length > 0 && (isLarge || bytes + size > BATCH_BYTES)) return batch;
      // Behind all others, whose first come before its next.
      this.#byEnvironment.delete(environmentId);
      if (first === undefined) continue;
      own.rows.shift();
      own.bytes -= size;
      this.#bytes -= size;
      bytes += size;
      batch.push(first);
      if (own.rows.length > 0) this.#byEnvironment.set(environmentId, own);
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

const writer = serverState(
  () =>
    new BatchWriter<NewWebhook, void>({
      queue: new FairRows(),
      write: async (ctx, rows) => {
        if (!(await isInboxPrepared(ctx))) await insert(ctx, rows);
        else return await insertWithin(ctx, rows);
        return () => undefined;
      },
      atOnce: MAX_FLUSHES,
      splits: true,
    }),
);

/** Resolves once the webhook is durable: many that come in together are stored by one commit. */
export async function storeWebhook(ctx: SystemContext, row: NewWebhook): Promise<void> {
  await writer.of(ctx).write(ctx, row);
}
