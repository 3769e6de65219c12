import { randomUUID } from "node:crypto";
import type { SystemContext } from "#foundation";
import { findAccountId, insertAccount, insertInstallation } from "./store.ts";

/** The one account; `created` only for the process that made the installation. */
export async function ensureAccount(
  ctx: Pick<SystemContext, "db" | "clock">,
): Promise<{ accountId: string; created: boolean }> {
  const known = await findAccountId(ctx.db);
  if (known !== undefined) return { accountId: known, created: false };
  const createdAt = ctx.clock.now();
  if (await insertInstallation(ctx.db, { id: randomUUID(), createdAt })) {
    const accountId = randomUUID();
    await insertAccount(ctx.db, {
      id: accountId,
      name: "default",
      rateLimitPerMinute: null,
      createdAt,
    });
    return { accountId, created: true };
  }
  const other = await findAccountId(ctx.db);
  if (other === undefined) throw new Error("the installation has no account");
  return { accountId: other, created: false };
}
