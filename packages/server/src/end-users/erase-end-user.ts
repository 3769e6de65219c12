import { randomUUID } from "node:crypto";
import { hashEndUser } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { enqueueTask } from "#tasks";
import type { Erasure } from "./erasure.ts";
import { findRunningErasure, insertErasure } from "./store.ts";
import { sealSubject } from "./subject.ts";
import { erasureTasks } from "./tasks.ts";

/**
 * Begins to erase what belongs to an end user; asked again meanwhile, the running one is meant. Also for an end user
 * of whom nothing is known: what is found is the receipt's to say.
 */
export async function eraseEndUser(ctx: EnvironmentContext, endUserId: string): Promise<Erasure> {
  const environmentId = ctx.environment.id;
  const [id, subjectHash] = [randomUUID(), await hashEndUser(ctx, endUserId)];
  const nobody = { endUserId, connections: [], names: [], integrationIds: [], words: [] };
  const subject = await sealSubject(ctx, id, nobody);
  const createdAt = ctx.clock.now();
  const erasure = await withTransaction(ctx, async (ctx) => {
    const row = { id, subjectHash, subject, createdAt };
    const begun =
      (await insertErasure(ctx.db, environmentId, row)) ??
      (await findRunningErasure(ctx.db, environmentId, subjectHash));
    if (begun !== undefined) {
      const payload = { environmentId, id: begun.id };
      // Also for a known one, should the queue have given it up.
      await enqueueTask(ctx, erasureTasks.erase, payload, { key: keyOf(begun.id), environmentId });
    }
    return begun;
  });
  // It has ended between the two looks at it.
  if (erasure === undefined) return await eraseEndUser(ctx, endUserId);
  if (erasure.id === id) recordChange(ctx, { message: "Erase an end user", meta: { erasure: id } });
  return erasure;
}

export function keyOf(id: string): string {
  return `erasure:${id}`;
}
