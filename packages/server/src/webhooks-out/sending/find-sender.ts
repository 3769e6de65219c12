import { getEnvironment, listSigningKeys } from "#environments";
import {
  type Environment,
  type EnvironmentId,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { defineCache } from "#foundation/cache";

export interface Sender {
  readonly environment: Environment;
  /** Newest first. */
  readonly keys: Awaited<ReturnType<typeof listSigningKeys>>;
}

const cached = defineCache<Sender>({ maxEntries: 1000 });

/** The environment and the keys that sign its webhooks now; throws not_found. */
export async function findSender(ctx: SystemContext, id: EnvironmentId): Promise<Sender> {
  const load = async (): Promise<Sender> => {
    const environment = await getEnvironment(ctx, id);
    const inside = withEnvironment(ctx, environment, { kind: "system" });
    return { environment, keys: await listSigningKeys(inside) };
  };
  const found = await cached.find(ctx, id, async () => ({
    value: await load(),
    rows: [`environments ${id}`, `webhook_signing_keys ${id}`],
  }));
  const { environment, keys } = found ?? (await load());
  const now = ctx.clock.now();
  return {
    environment,
    keys: keys.filter(({ expiresAt }) => expiresAt === null || expiresAt > now),
  };
}
