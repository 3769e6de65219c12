import { AppError, type InstallationContext } from "#platform";
import { commonDb } from "#platform/db";
import { DUE_CHANNEL } from "#tasks";
import { INBOX } from "./inbox.ts";
import { insertWebhooks, type NewWebhook } from "./store.ts";

interface Waiting {
  readonly row: NewWebhook;
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

const BATCH_ROWS = 250;
const BATCH_BYTES = 8 * 1024 * 1024;
// While one batch is on its way to the disk, the next is on its way to the database.
const MAX_FLUSHES = 2;
const MAX_WAITING_BYTES = 128 * 1024 * 1024;

const NOTICE = { channel: DUE_CHANNEL, name: INBOX };

/** Stores what came in together by one commit; nobody is answered before theirs is on the disk. */
class InboxWriter {
  #waiting: Waiting[] = [];
  #bytes = 0;
  #flushes = 0;

  async store(ctx: InstallationContext, row: NewWebhook): Promise<void> {
    if (this.#bytes > MAX_WAITING_BYTES) {
      throw new AppError("overloaded", "Too many webhooks wait to be stored; send it again.", {
        headers: { "Retry-After": "1" },
      });
    }
    const { promise, resolve: stored, reject: failed } = Promise.withResolvers<void>();
    this.#waiting.push({ row, stored, failed });
    this.#bytes += row.request.byteLength;
    if (this.#flushes < MAX_FLUSHES) void this.#flush(ctx);
    await promise;
  }

  async #flush(ctx: InstallationContext): Promise<void> {
    this.#flushes += 1;
    // Requests that were read in the same turn of the loop share a batch.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) await this.#flushOnce(ctx);
    this.#flushes -= 1;
  }

  async #flushOnce(ctx: InstallationContext): Promise<void> {
    const batch = this.#take();
    try {
      await insertWebhooks(
        ctx.db,
        batch.map(({ row }) => row),
        NOTICE,
      );
      for (const { stored } of batch) stored();
    } catch (error) {
      // One that cannot be stored, as when its environment was just deleted, must not fail the others.
      if (batch.length === 1) for (const { failed } of batch) failed(error);
      else await Promise.all(batch.map(async (each) => await storeAlone(ctx, each)));
    }
  }

  #take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { row } of this.#waiting) {
      if (count > 0 && (count === BATCH_ROWS || bytes + row.request.byteLength > BATCH_BYTES))
        break;
      bytes += row.request.byteLength;
      count += 1;
    }
    this.#bytes -= bytes;
    return this.#waiting.splice(0, count);
  }
}

async function storeAlone(ctx: InstallationContext, { row, stored, failed }: Waiting) {
  try {
    await insertWebhooks(ctx.db, [row], NOTICE);
    stored();
  } catch (error) {
    failed(error);
  }
}

// One for each running server; its keys are the same object in all of its contexts.
const writers = new WeakMap<InstallationContext["keys"], InboxWriter>();

/** Resolves once the webhook is durable. */
export async function storeWebhook(ctx: InstallationContext, row: NewWebhook): Promise<void> {
  const writer = writers.get(ctx.keys) ?? new InboxWriter();
  writers.set(ctx.keys, writer);
  // Written for all environments together.
  await writer.store({ ...ctx, db: commonDb(ctx.db) }, row);
}
