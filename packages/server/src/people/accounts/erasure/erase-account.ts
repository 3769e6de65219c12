import { randomUUID } from "node:crypto";
import { findAccount, isFirstAccount, lockAccount } from "#accounts";
import { noteBefore } from "#audit";
import { endKeysOfAccount, listEnvironments } from "#environments";
import { AppError, type SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { enqueueTask } from "#tasks";
import type { AccountErasure } from "./account-erasure.ts";
import { findErasureOfAccount, insertAccountErasure, shutOutPeople } from "./store.ts";
import { accountTasks } from "./tasks.ts";

/**
 * Begins to erase an account; asked again, the erasure that there is is meant. When this returns, none of its keys,
 * people and sessions work any more. Throws not_found, and conflict for the account that the installation was made with.
 */
export async function eraseAccount(ctx: SystemContext, accountId: string): Promise<AccountErasure> {
  return await withTransaction(ctx, async (ctx) => {
    await lockAccount(ctx.db, accountId);
    const known = await findErasureOfAccount(ctx.db, accountId);
    if (known !== undefined) {
      // Should the queue have given it up.
      if (known.endedAt === null) await queueErasure(ctx, known.id);
      return known;
    }
    const account = await findAccount(ctx.db, accountId);
    if (account === undefined) {
      throw new AppError("not_found", `The installation has no account ${accountId}.`);
    }
    if (await isFirstAccount(ctx, accountId)) {
      throw new AppError(
        "conflict",
        "The account that the installation was made with cannot be deleted: remove the installation instead.",
      );
    }
    noteBefore(ctx, { name: account.name, rate_limit_per_minute: account.rateLimitPerMinute });
    const now = ctx.clock.now();
    const environments = await listEnvironments(ctx.db, accountId);
    const counts = {
      environments: environments.length,
      api_keys: await endKeysOfAccount(ctx.db, accountId, now),
      users: await shutOutPeople(ctx.db, accountId, now),
    };
    const id = randomUUID();
    const environmentIds = environments.map((environment) => environment.id);
    const row = { id, accountId, environmentIds, counts, createdAt: now };
    const begun = await insertAccountErasure(ctx.db, row);
    if (begun === undefined) throw new Error("the account's row was locked");
    await queueErasure(ctx, id);
    return begun;
  });
}

export async function queueErasure(ctx: SystemContext, id: string, runAt?: Date): Promise<void> {
  const options = { key: keyOf(id), ...(runAt && { runAt }) };
  await enqueueTask(ctx, accountTasks.erase, { id }, options);
}

export function keyOf(id: string): string {
  return `account_erasure:${id}`;
}
