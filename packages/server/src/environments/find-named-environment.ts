import type { SystemContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import { type EnvironmentSummary, findEnvironmentNamed } from "./store.ts";

const named = defineCache<EnvironmentSummary>({ maxEntries: 1000 });

/** An environment of the account by its name or id; undefined when there is none. */
export async function findNamedEnvironment(
  ctx: Pick<SystemContext, "db" | "state">,
  { accountId, name }: { accountId: string; name: string },
): Promise<EnvironmentSummary | undefined> {
  return await named.find(ctx, `${accountId} ${name}`, async () => {
    const value = await findEnvironmentNamed(ctx.db, accountId, name);
    return value && { value, rows: [`environments ${value.id}`] };
  });
}
