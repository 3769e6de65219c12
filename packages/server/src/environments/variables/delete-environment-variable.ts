import { recordChange } from "#logs";
import { AppError, type EnvironmentContext } from "#platform";
import { deleteVariable } from "../store.ts";

/** Deletes a variable; throws not_found. */
export async function deleteEnvironmentVariable(
  ctx: EnvironmentContext,
  { name }: { name: string },
): Promise<void> {
  if (!(await deleteVariable(ctx.db, ctx.environment.id, name))) {
    throw new AppError("not_found", `The environment has no variable ${name}.`);
  }
  recordChange(ctx, { message: `Delete the variable ${name}` });
}
