import {
  AppError,
  type EnvironmentContext,
  MINUTE,
  reasonOf,
  SECOND,
  serverState,
} from "#foundation";
import { withinPatience } from "#foundation/db";
import { freeRoom } from "./free-room.ts";
import { readUsage } from "./store.ts";

interface Usage {
  bytes: number;
  /** By the process's own clock. */
  readAt: number;
  freedAt: number;
  freeing: Promise<void> | undefined;
  /** When the operator was last notified that it is full. */
  reportedAt: number;
}

const READ_EVERY_MS = 5 * SECOND;
// Where nothing could be deleted, looking again at once finds nothing either.
const FREED_EVERY_MS = 5 * SECOND;
/** Parts of the budget: above the first, handled webhooks give way; the rest of it is kept for proven ones. */
const FULL_ENOUGH = 0.7;
const UNPROVEN_PART = 0.75;
const RETRY_AFTER_SECONDS: number = MINUTE / SECOND;

const usageOf = serverState(() => new Map<string, Usage>());

/**
 * Throws `overloaded` where the environment's inbox may not keep so many more bytes. What was handled gives way first;
 * of what is left, what nothing proves is refused before what the provider has signed, so that a stranger cannot
 * take its place. What waits is never deleted.
 */
export async function requireRoom(
  ctx: EnvironmentContext,
  { bytes, isVerified }: { bytes: number; isVerified: boolean },
): Promise<void> {
  const budget = ctx.settings.webhookStorageBytes;
  if (budget === 0) return;
  const usage = await findUsage(ctx);
  const limit = isVerified ? budget : budget * UNPROVEN_PART;
  if (usage.bytes + bytes > budget * FULL_ENOUGH) startFreeing(ctx, usage);
  if (usage.bytes + bytes > limit && usage.freeing !== undefined)
    await withinPatience(usage.freeing);
  if (usage.bytes + bytes > limit) throw refuse(ctx, usage, isVerified);
  usage.bytes += bytes;
}

async function findUsage(ctx: EnvironmentContext): Promise<Usage> {
  const book = usageOf.of(ctx);
  const { id } = ctx.environment;
  const known = book.get(id) ?? {
    bytes: 0,
    readAt: 0,
    freedAt: 0,
    freeing: undefined,
    reportedAt: 0,
  };
  book.set(id, known);
  const now = performance.now();
  if (known.readAt !== 0 && now - known.readAt < READ_EVERY_MS) return known;
  known.readAt = now;
  known.bytes = await readUsage(ctx.db, id);
  return known;
}

function startFreeing(ctx: EnvironmentContext, usage: Usage): void {
  const now = performance.now();
  if (usage.freeing !== undefined) return;
  if (usage.freedAt !== 0 && now - usage.freedAt < FREED_EVERY_MS) return;
  usage.freedAt = now;
  usage.freeing = freeRoom(ctx)
    .then((bytes) => {
      usage.bytes = bytes;
    })
    .catch((error: unknown) => {
      ctx.log.error("inbox.room_not_freed", { reason: reasonOf(error) });
    })
    .finally(() => {
      usage.freeing = undefined;
    });
}

function refuse(ctx: EnvironmentContext, usage: Usage, isVerified: boolean): AppError {
  const now = performance.now();
  // A flood is reported once a minute, not once for each request.
  if (usage.reportedAt === 0 || now - usage.reportedAt > MINUTE) {
    usage.reportedAt = now;
    const { id } = ctx.environment;
    ctx.log.error("inbox.full", { environmentId: id, isVerified, setting: "SVC_WEBHOOK_STORAGE" });
  }
  return new AppError(
    "overloaded",
    "The inbox of this environment is full of webhooks that wait to be handled; send it again later.",
    { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) }, repeats: isVerified },
  );
}
