import { LRUCache } from "lru-cache";
import {
  type AppError,
  reasonOf,
  refuseUntilEnd,
  type SystemContext,
  serverState,
  windowAt,
} from "#foundation";
import { withinPatience } from "#foundation/db";
import { countCall } from "./store.ts";

export interface IngressLimiter {
  /** Counts one request from outside, or throws 429 with the seconds until the next window. */
  admit(ctx: SystemContext, request: LimitedRequest): Promise<void>;
}

export interface LimitedRequest {
  readonly accountId: string;
  /** What is limited, such as the webhooks of one integration. */
  readonly bucket: string;
  readonly whose: "integration" | "environment";
  /** Requests in a minute; 0 is off. */
  readonly limit: number;
}

interface Share {
  window: number;
  /** Taken of the window and not used yet. */
  left: number;
  isUsedUp: boolean;
  taking: Promise<void> | undefined;
}

/** The limiter of a server. */
export const ingressLimiter = serverState(() => createIngressLimiter());
// A process takes so much of the window at a time: a flood costs a write for each part, not for each request.
const PARTS = 50;
/** What is left of a share that is forgotten is lost to its window. */
const MOST_KNOWN = 10_000;

/**
 * A fixed window of 60 s, shared by all processes: each takes parts of it, so that at most the parts not used up
 * by others are missing. When a part cannot be taken, the request is let through and the failure is logged.
 */
export function createIngressLimiter(): IngressLimiter {
  const shares = new LRUCache<string, Share>({ max: MOST_KNOWN });
  return {
    async admit(ctx, { accountId, bucket, whose, limit }) {
      if (limit === 0) return;
      const row = `${accountId} ${bucket}`;
      const now = ctx.clock.now().getTime();
      const window = windowAt(now);
      let share = shares.get(row);
      if (share === undefined || share.window < window) {
        share = { window, left: 0, isUsedUp: false, taking: undefined };
        shares.set(row, share);
      }
      while (share.left === 0 && !share.isUsedUp) {
        share.taking ??= takePart(ctx, share, { accountId, bucket, whose, limit });
        await withinPatience(share.taking);
      }
      if (share.left === 0) throw refuse({ whose, limit }, share.window, now);
      share.left -= 1;
    },
  };
}

async function takePart(
  ctx: SystemContext,
  share: Share,
  { accountId, bucket, limit }: LimitedRequest,
): Promise<void> {
  const calls = Math.ceil(limit / PARTS);
  try {
    const asked = { accountId, bucket, window: share.window, calls };
    const counted = await countCall(ctx.db, asked);
    share.window = counted.window;
    share.left = Math.max(0, calls - Math.max(0, counted.calls - limit));
    share.isUsedUp = share.left === 0;
  } catch (error) {
    ctx.log.error("ingress_limit.not_counted", { bucket, reason: reasonOf(error) });
    share.left = 1;
  } finally {
    share.taking = undefined;
  }
}

function refuse(
  { whose, limit }: Pick<LimitedRequest, "whose" | "limit">,
  window: number,
  nowMs: number,
): AppError {
  return refuseUntilEnd(
    { window, nowMs },
    (seconds) => `This ${whose} takes ${limit} webhooks a minute; send it again in ${seconds} s.`,
    { repeats: true },
  );
}
