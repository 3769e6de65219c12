import type { EnvironmentContext } from "#platform";
import { open } from "#vault";
import { listVariables } from "../store.ts";
import { variableAad } from "./set-environment-variable.ts";

export async function listEnvironmentVariables(
  ctx: EnvironmentContext,
): Promise<{ name: string; value: string }[]> {
  const rows = await listVariables(ctx.db, ctx.environment.id);
  return await Promise.all(
    rows.map(async ({ name, value }) => {
      const opened = await open(ctx, variableAad(ctx.environment.id, name), value);
      return { name, value: opened.toString("utf8") };
    }),
  );
}
