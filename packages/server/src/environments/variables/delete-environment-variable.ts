import { noteBefore } from "#audit";
import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { deleteVariable } from "../store.ts";
import { findVariable } from "./list-environment-variables.ts";

/** Deletes a variable; throws not_found. */
export async function deleteEnvironmentVariable(
  ctx: EnvironmentContext,
  { name }: { name: string },
): Promise<void> {
  await withTransaction(ctx, async (ctx) => {
    noteBefore(ctx, { value: await findVariable(ctx, name) });
    if (await deleteVariable(ctx.db, ctx.environment.id, name)) return;
    throw new AppError("not_found", `The environment has no variable ${name}.`);
  });
  recordChange(ctx, { message: `Delete the variable ${name}` });
}
