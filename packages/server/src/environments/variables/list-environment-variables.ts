import type { EnvironmentContext } from "#foundation";
import { open } from "#vault";
import { listVariables } from "../store.ts";
import { variableAad } from "./variable-aad.ts";

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

/** The text of one; undefined when there is none. */
export async function findVariable(
  ctx: EnvironmentContext,
  name: string,
): Promise<string | undefined> {
  const rows = await listVariables(ctx.db, ctx.environment.id);
  const found = rows.find((row) => row.name === name);
  return found && (await open(ctx, variableAad(ctx.environment.id, name), found.value)).toString();
}
