import type { EnvironmentErasing } from "#environments";
import type { EnvironmentContext } from "#foundation";
import { countUnfinished } from "./store.ts";

/** A deleted environment stays until its connections are gone and the providers have been notified. */
export async function postponeForConnections(
  ctx: EnvironmentContext,
  { environment, postpone }: EnvironmentErasing,
): Promise<void> {
  const left = await countUnfinished(ctx.db, environment.id);
  if (left > 0) postpone(`${left} connections are not finished with`);
}
