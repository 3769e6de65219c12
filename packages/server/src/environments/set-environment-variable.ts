import { recordChange } from "#logs";
import type { EnvironmentContext, EnvironmentId } from "#platform";
import { type SealPlace, seal } from "#vault";
import { upsertVariable } from "./store.ts";

export async function setEnvironmentVariable(
  ctx: EnvironmentContext,
  variable: { name: string; value: string },
): Promise<void> {
  const place = variablePlace(ctx.environment.id, variable.name);
  const value = await seal(ctx, place, Buffer.from(variable.value));
  const updatedAt = ctx.clock.now();
  await upsertVariable(ctx.db, ctx.environment.id, { name: variable.name, value, updatedAt });
  recordChange(ctx, { message: `Set the variable ${variable.name}` });
}

export function variablePlace(environmentId: EnvironmentId, name: string): SealPlace {
  return { environmentId, table: "environment_variables", column: "value", row: name };
}
