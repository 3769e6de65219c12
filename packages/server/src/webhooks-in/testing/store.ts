import { sql } from "kysely";
import { type ConnectionUuid, type EnvironmentContext, newRandomId } from "#foundation";
import { open } from "#vault";

export interface TestConnection {
  readonly config?: Readonly<Record<string, string>> | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Only the row, with credentials that nothing can open. */
export async function insertConnection(
  ctx: EnvironmentContext,
  integration: { readonly id: number },
  connectionId: string,
  { config = {}, metadata = {} }: TestConnection = {},
): Promise<ConnectionUuid> {
  const uuid = newRandomId<ConnectionUuid>();
  const now = ctx.clock.now();
  await sql`
    insert into connections
      (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, connection_config,
       metadata, created_at, updated_at)
    values (${uuid}, ${ctx.environment.id}, ${integration.id}, ${connectionId}, 'NONE', ${Buffer.alloc(0)},
      ${JSON.stringify(config)}, ${JSON.stringify(metadata)}, ${now}, ${now})`.execute(ctx.db);
  return uuid;
}

export async function setPrimaryUrl(ctx: EnvironmentContext, url: string): Promise<void> {
  await sql`
    update webhook_settings set primary_url = ${url} where environment_id = ${ctx.environment.id}`.execute(
    ctx.db,
  );
}

export interface Queued {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Forwards that were queued, oldest first. */
export async function listForwards(ctx: EnvironmentContext): Promise<Queued[]> {
  return await listDeliveries(ctx, "forward");
}

export async function listDeliveries(
  ctx: EnvironmentContext,
  type: "forward" | "auth",
): Promise<Queued[]> {
  const environmentId = ctx.environment.id;
  const { rows } = await sql<{ id: string; payloadId: string | null } & Texts & Shared>`
    select d.id, d.body, d.headers, d.payload_id, p.body as shared_body, p.headers as shared_headers
      from webhook_deliveries d left join webhook_payloads p on p.id = d.payload_id
     where d.environment_id = ${environmentId} and d.type = ${type}
     order by d.created_at, d.ctid`.execute(ctx.db);
  return await Promise.all(
    rows.map(async ({ id, body, headers, payloadId, sharedBody, sharedHeaders }) => {
      const own = await read("webhook_deliveries", id, { body, headers });
      const shared = await read("webhook_payloads", payloadId ?? "", {
        body: sharedBody,
        headers: sharedHeaders,
      });
      return {
        headers: { ...own.headers, ...shared.headers },
        body: { ...own.body, ...shared.body },
      };
    }),
  );

  async function read(table: string, row: string, texts: Texts): Promise<Queued> {
    const readText = async (column: keyof Texts) => {
      const sealed = texts[column];
      if (sealed === null) return {};
      const place = { environmentId, table, column, row };
      return JSON.parse((await open(ctx, place, sealed)).toString());
    };
    return { headers: await readText("headers"), body: await readText("body") };
  }
}

interface Texts {
  readonly body: Buffer | null;
  readonly headers: Buffer | null;
}

interface Shared {
  readonly sharedBody: Buffer | null;
  readonly sharedHeaders: Buffer | null;
}

export async function readMetadata(
  ctx: EnvironmentContext,
  connectionId: string,
): Promise<unknown> {
  const { rows } = await sql<{ metadata: unknown }>`
    select metadata from connections
     where environment_id = ${ctx.environment.id} and connection_id = ${connectionId}`.execute(
    ctx.db,
  );
  return rows[0]?.metadata;
}

/** A sync that takes these webhooks, set up for all connections of the integration; only the rows. */
export async function subscribe(
  ctx: EnvironmentContext,
  integration: { readonly id: number },
  types: readonly string[],
): Promise<void> {
  const environmentId = ctx.environment.id;
  const now = ctx.clock.now();
  const definition = JSON.stringify({ models: [], webhookSubscriptions: types });
  const sha256 = Buffer.alloc(32);
  await sql`
    insert into function_bundles (environment_id, sha256, code, source, created_at)
    values (${environmentId}, ${sha256}, '', '', ${now})`.execute(ctx.db);
  await sql`
    with made as (
      insert into functions (environment_id, integration_id, type, name, version, source, definition,
                             bundle_sha256, deployed_at, created_at)
      values (${environmentId}, ${integration.id}, 'sync', 'charges', '1', 'repo', ${definition},
              ${sha256}, ${now}, ${now}) returning id)
    insert into syncs (id, environment_id, connection_uuid, function_id, name, paused, interval_ms,
                       anchored_at, created_at, updated_at)
    select gen_random_uuid(), ${environmentId}, c.uuid, made.id, 'charges', true, 3600000, ${now}, ${now}, ${now}
      from connections c, made
     where c.environment_id = ${environmentId} and c.integration_id = ${integration.id}`.execute(
    ctx.db,
  );
}

/** Runs of webhook handlers that were queued, oldest first. */
export async function listWebhookRuns(
  ctx: EnvironmentContext,
): Promise<{ connectionUuid: string; input: unknown }[]> {
  const environmentId = ctx.environment.id;
  const { rows } = await sql<{ inputId: string; connectionUuid: string; input: Buffer }>`
    select r.connection_uuid, i.id as input_id, i.input from runs r join webhook_inputs i on i.id = r.input_id
     where r.environment_id = ${environmentId} and r.kind = 'webhook'
     order by r.created_at, r.ctid`.execute(ctx.db);
  return await Promise.all(
    rows.map(async ({ inputId: row, connectionUuid, input }) => {
      const place = { environmentId, table: "webhook_inputs", column: "input", row };
      return { connectionUuid, input: JSON.parse((await open(ctx, place, input)).toString()) };
    }),
  );
}

export async function deleteEnvironment(ctx: EnvironmentContext): Promise<void> {
  await sql`
    update environments set deleted_at = now() where id = ${ctx.environment.id}`.execute(ctx.db);
}

/** Ids of received webhooks, newest first. */
export async function listInboundIds(ctx: EnvironmentContext): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from inbound_webhooks where environment_id = ${ctx.environment.id}
     order by sequence desc`.execute(ctx.db);
  return rows.map(({ id }) => id);
}

export async function forgetWebhooks(ctx: EnvironmentContext): Promise<void> {
  await sql`truncate inbound_webhooks, webhook_deliveries, delivery_turns, failed_deliveries cascade`.execute(
    ctx.db,
  );
}
