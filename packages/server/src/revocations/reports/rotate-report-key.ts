import {
  AppError,
  type EnvironmentContext,
  type EnvironmentId,
  type SystemContext,
} from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { newKey } from "./report-key.ts";
import { findReportKey, insertReportKey, listRetiredKeys, replaceReportKey } from "./store.ts";

// Everyone may read the set, and verifiers load all of it.
const MOST_RETIRED = 100;

/** Signs with a new key from now on; reports that the one before has signed stay verifiable. Throws resource_capped. */
export async function rotateReportKey(ctx: EnvironmentContext): Promise<void> {
  const { id: environmentId } = ctx.environment;
  const made = await newKey(ctx);
  await withTransaction(ctx, async (ctx) => {
    const row = { ...made, now: ctx.clock.now() };
    if ((await listRetiredKeys(ctx.db, environmentId)).length >= MOST_RETIRED) {
      const message = `The environment has ${MOST_RETIRED} retired keys, which is the most that are listed.`;
      throw new AppError("resource_capped", message);
    }
    if (await replaceReportKey(ctx.db, environmentId, row)) return;
    await insertReportKey(ctx.db, environmentId, row);
  });
  const { kid } = made.publicKey;
  recordChange(ctx, { message: "Rotate the key that signs revocation reports", meta: { kid } });
}

/** The key that signs, then those that signed before. */
export async function listReportKeys({ db }: Pick<SystemContext, "db">, id: EnvironmentId) {
  const current = await findReportKey(db, id);
  const retired = await listRetiredKeys(db, id);
  return [
    ...(current === undefined ? [] : [{ ...current.publicKey, retired_at: null }]),
    ...retired.map(({ publicKey, retiredAt }) => ({
      ...publicKey,
      retired_at: retiredAt.toISOString(),
    })),
  ];
}
