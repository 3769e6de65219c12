import { type EnvironmentContext, reasonOf } from "#foundation";
import { defineCache } from "#foundation/cache";
import type { Connection } from "../connection.ts";
import { getConnectionByUuid } from "../read/get-connection.ts";
import { openCredentials } from "../sealed-credentials.ts";
import { accountIdentityOf } from "./connection-health.ts";

const cached = defineCache<{ readonly identity: string | null }>({ maxEntries: 20_000 });

/** Who the connection is at its provider, as far as its credentials say; undefined where they do not. */
export async function identify(
  ctx: EnvironmentContext,
  { uuid }: Pick<Connection, "uuid">,
): Promise<string | undefined> {
  const found = await cached.find(ctx, `${ctx.environment.id}/${uuid}`, async () => ({
    value: { identity: await readIdentity(ctx, uuid) },
    rows: [`connections ${uuid}`],
  }));
  return found?.identity ?? undefined;
}

async function readIdentity(
  ctx: EnvironmentContext,
  uuid: Connection["uuid"],
): Promise<string | null> {
  try {
    return accountIdentityOf(await openCredentials(ctx, await getConnectionByUuid(ctx, uuid)));
  } catch (error) {
    ctx.log.warn("connections.credentials_unreadable", { reason: reasonOf(error) });
    return null;
  }
}
