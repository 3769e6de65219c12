import {
  AppError,
  type Environment,
  type EnvironmentId,
  type InstallationContext,
} from "#platform";
import { findEnvironment } from "./store.ts";

export async function getEnvironment(
  ctx: Pick<InstallationContext, "db">,
  id: EnvironmentId,
): Promise<Environment> {
  const row = await findEnvironment(ctx.db, id);
  if (row === undefined) throw new AppError("not_found", "The environment does not exist.");
  return { id: row.id, name: row.name, accountId: row.accountId };
}
