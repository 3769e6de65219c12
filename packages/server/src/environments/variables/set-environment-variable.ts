import { recordChange } from "#logs";
import type { EnvironmentContext, EnvironmentId } from "#platform";
import { type AssociatedData, seal } from "#vault";
import { upsertVariable } from "../store.ts";

export async function setEnvironmentVariable(
  ctx: EnvironmentContext,
  variable: { name: string; value: string },
): Promise<void> {
  const aad = variableAad(ctx.environment.id, variable.name);
  const value = await seal(ctx, aad, Buffer.from(variable.value));
  const updatedAt = ctx.clock.now();
  await upsertVariable(ctx.db, ctx.environment.id, { name: variable.name, value, updatedAt });
  recordChange(ctx, { message: `Set the variable ${variable.name}` });
}

export function variableAad(environmentId: EnvironmentId, name: string): AssociatedData {
  return { environmentId, table: "environment_variables", column: "value", row: name };
}
