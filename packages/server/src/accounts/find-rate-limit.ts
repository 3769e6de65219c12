import type { SystemContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import { findAccount } from "./store.ts";

const limits = defineCache<{ readonly perMinute: number | null }>({ maxEntries: 10_000 });

/** Calls that an account may make in a minute; undefined where it has no limit of its own. */
export async function findRateLimit(
  ctx: Pick<SystemContext, "db" | "state">,
  accountId: string,
): Promise<number | undefined> {
  const found = await limits.find(ctx, accountId, async () => {
    const account = await findAccount(ctx.db, accountId);
    const value = { perMinute: account?.rateLimitPerMinute ?? null };
    return account && { value, rows: [`accounts ${accountId}`] };
  });
  return found?.perMinute ?? undefined;
}
