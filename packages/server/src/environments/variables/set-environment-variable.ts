import { noteBefore } from "#audit";
import type { EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { seal } from "#vault";
import { upsertVariable } from "../store.ts";
import { findVariable } from "./list-environment-variables.ts";
import { variableAad } from "./variable-aad.ts";

export async function setEnvironmentVariable(
  ctx: EnvironmentContext,
  variable: { name: string; value: string },
): Promise<void> {
  const aad = variableAad(ctx.environment.id, variable.name);
  const value = await seal(ctx, aad, Buffer.from(variable.value));
  const updatedAt = ctx.clock.now();
  await withTransaction(ctx, async (ctx) => {
    noteBefore(ctx, { value: await findVariable(ctx, variable.name) });
    await upsertVariable(ctx.db, ctx.environment.id, { name: variable.name, value, updatedAt });
  });
  recordChange(ctx, { message: `Set the variable ${variable.name}` });
}
