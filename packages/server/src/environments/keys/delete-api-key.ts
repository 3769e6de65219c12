import { recordChange } from "#logs";
import { AppError, type EnvironmentContext } from "#platform";
import { deleteKey } from "./store.ts";

/** Deletes a key of the environment; throws not_found. */
export async function deleteApiKey(ctx: EnvironmentContext, { id }: { id: string }): Promise<void> {
  const name = await deleteKey(ctx.db, ctx.environment.id, { id, now: ctx.clock.now() });
  if (name === undefined) throw new AppError("not_found", `The environment has no key ${id}.`);
  recordChange(ctx, { message: `Delete the API key ${name}`, meta: { key: id } });
}
