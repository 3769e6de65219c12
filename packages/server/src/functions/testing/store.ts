import { sql } from "kysely";
import { type ConnectionUuid, type EnvironmentContext, newRandomId } from "#foundation";

/** Only the row: what a function needs of an integration is its name. */
export async function insertTestIntegration(
  ctx: EnvironmentContext,
  uniqueKey: string,
): Promise<{ id: number; uniqueKey: string; provider: string }> {
  const provider = "unauthenticated";
  const now = ctx.clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
    values (${ctx.environment.id}, ${uniqueKey}, ${provider}, ${now}, ${now}) returning id`.execute(
    ctx.db,
  );
  const id = rows[0]?.id;
  if (id === undefined) throw new Error("the integration was not written");
  return { id, uniqueKey, provider };
}

/** Only the row, with credentials that nothing can open. */
export async function insertTestConnection(
  ctx: EnvironmentContext,
  integration: { id: number },
  connectionId: string,
): Promise<{ uuid: ConnectionUuid; connectionId: string }> {
  const uuid = newRandomId<ConnectionUuid>();
  const now = ctx.clock.now();
  await sql`
    insert into connections
      (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
    values (${uuid}, ${ctx.environment.id}, ${integration.id}, ${connectionId}, 'NONE', ${Buffer.alloc(0)},
      ${now}, ${now})`.execute(ctx.db);
  return { uuid, connectionId };
}
