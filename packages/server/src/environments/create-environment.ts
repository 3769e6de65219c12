import { AppError, type EnvironmentId, newRandomId, type SystemContext } from "#foundation";
import { insertEnvironment } from "./store.ts";
import { addSigningKey } from "./webhooks/add-signing-key.ts";

/** Makes an environment with its webhook signing key; keys for callers are made apart. Throws conflict. */
export async function createEnvironment(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  wanted: { accountId: string; name: string; isProduction: boolean },
): Promise<EnvironmentId> {
  const id = newRandomId<EnvironmentId>();
  const createdAt = ctx.clock.now();
  if (!(await insertEnvironment(ctx.db, { id, ...wanted, createdAt }))) {
    throw new AppError("conflict", `There is an environment ${wanted.name} already.`);
  }
  await addSigningKey(ctx, id);
  return id;
}
