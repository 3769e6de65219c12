import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import { findRateLimit } from "#accounts";
import {
  AppError,
  endOfWindow,
  reasonOf,
  refuseUntilEnd,
  SECOND,
  type SystemContext,
  serverState,
  windowAt,
} from "#foundation";
import { countCall } from "./store.ts";

/**
 * Calls of one account by key, by connect session, by one session of an agent or by a user: buckets of their own, so
 * that browsers and agents starve neither a backend nor each other.
 */
export type Bucket = "key" | "session" | "user" | `${typeof AGENT}${string}`;

const AGENT = "agent ";

/** Of one session of an agent. */
export function agentBucket(sessionId: string): Bucket {
  return `${AGENT}${sessionId}`;
}

export interface RateLimiter {
  /** Counts the call and tells of the limit in its answer's headers, or throws 429. */
  admit(ctx: SystemContext, call: CountedCall): Promise<void>;
}

export interface CountedCall {
  readonly accountId: string;
  readonly bucket: Bucket;
  /** Counted once, however often it is asked for. */
  readonly request: IncomingMessage;
  /** How many calls the request stands for, those included that it was admitted with; 1 unless given. */
  readonly calls?: number;
  /** Takes the headers that tell of the limit. */
  readonly tell?: (headers: Readonly<Record<string, string>>) => void;
}

/** The limiter of a server, within its setting. */
export const rateLimiter = serverState(({ settings }: Pick<SystemContext, "settings">) =>
  createRateLimiter(
    settings.rateLimitPerMinute,
    settings.severalAccounts ? findRateLimit : undefined,
  ),
);

/** Sessions come and go; one that is forgotten is counted by its row again. */
const MOST_KNOWN = 10_000;

type LimitOf = (ctx: SystemContext, accountId: string) => Promise<number | undefined>;

/**
 * A fixed window of 60 s per account, exact across processes: one row counts for all of them.
 * When that row cannot be written, the call is let through and the failure is logged. `usual` 0 is off; it holds for
 * accounts for which `limitOf` knows no other.
 */
export function createRateLimiter(usual: number, limitOf?: LimitOf): RateLimiter {
  // Windows known to be full, by row: refusing costs no write.
  const full = new LRUCache<string, number>({ max: MOST_KNOWN });
  const admitted = new WeakMap<IncomingMessage, number>();
  return {
    async admit(ctx, { accountId, bucket, request, calls: wanted = 1, tell }) {
      const limit =
        limitOf === undefined ? usual : await findLimit(ctx, { accountId, usual, limitOf });
      const more = wanted - (admitted.get(request) ?? 0);
      if (limit === 0 || more <= 0) return;
      const now = ctx.clock.now().getTime();
      const asked = windowAt(now);
      const row = `${accountId} ${bucket}`;
      const known = full.get(row);
      if (known !== undefined && known >= asked) throw refuse(limit, known, { now, bucket });
      try {
        const counted = { accountId, bucket, window: asked, calls: more };
        const { window, calls } = await countCall(ctx.db, counted);
        if (calls > limit) {
          full.set(row, window);
          throw refuse(limit, window, { now, bucket });
        }
        admitted.set(request, wanted);
        tell?.(describe(limit, calls, window));
      } catch (error) {
        if (error instanceof AppError) throw error;
        ctx.log.error("rate_limit.not_counted", { accountId, reason: reasonOf(error) });
      }
    },
  };
}

/** Without the database nothing is counted either. */
async function findLimit(
  ctx: SystemContext,
  { accountId, usual, limitOf }: { accountId: string; usual: number; limitOf: LimitOf },
): Promise<number> {
  try {
    return (await limitOf(ctx, accountId)) ?? usual;
  } catch (error) {
    ctx.log.error("rate_limit.not_known", { accountId, reason: reasonOf(error) });
    return usual;
  }
}

function describe(limit: number, calls: number, window: number): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(Math.max(0, limit - calls)),
    "X-RateLimit-Reset": String(endOfWindow(window) / SECOND),
  };
}

function refuse(
  limit: number,
  window: number,
  { now: nowMs, bucket }: { now: number; bucket: Bucket },
): AppError {
  const whose = bucket.startsWith(AGENT) ? "session" : "account";
  return refuseUntilEnd(
    { window, nowMs },
    (seconds) =>
      `The ${whose} has reached its limit of ${limit} calls a minute; try again in ${seconds} s.`,
    { headers: describe(limit, limit, window) },
  );
}
