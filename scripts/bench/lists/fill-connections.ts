import { randomUUID } from "node:crypto";
import pg from "pg";
import type {
  OnEventDefinition,
  SyncDefinition,
} from "../../../packages/server/src/functions/deployed-function.ts";
import { writeDefinition } from "../../../packages/server/src/functions/store.ts";

export interface Filled {
  readonly connections: number;
  readonly functions: number;
  readonly deployments: number;
  /** Credentials of a connection, sealed as the server seals them. */
  readonly seal: (connectionUuid: string) => Promise<Buffer>;
}

const CONNECTIONS_AT_ONCE = 10_000;

const sync: SyncDefinition = {
  ...{ description: undefined, scopes: [], endpoints: [], attributes: {}, features: [] },
  ...{ jsonSchema: {}, models: ["Contact"], frequency: "every hour", syncType: "incremental" },
  ...{ autoStart: true, trackDeletes: false, metadataModel: undefined, webhookSubscriptions: [] },
};
const onEvent: OnEventDefinition = { event: "post-connection-creation" };

/**
 * One in a hundred connections is of the rare integration, one in 200 needs its end user, is in a back-off or expires
 * soon; one in 500 syncs fails. Times are whole milliseconds, as the server writes them.
 */
export async function fillConnections(
  connectionString: string,
  { connections, functions, deployments, seal }: Filled,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (let first = 1; first <= connections; first += CONNECTIONS_AT_ONCE) {
    await insertConnections(client, {
      ...{ first, count: Math.min(CONNECTIONS_AT_ONCE, connections - first + 1), seal },
    });
  }
  await client.query(
    `insert into function_bundles (environment_id, sha256, code, source, created_at)
     select environment_id, '\\x00', '', '', now() from integrations where unique_key = 'bench'`,
  );
  await client.query(
    `insert into functions (environment_id, integration_id, type, name, version, source, definition, bundle_sha256,
       deployed_at, created_at)
     select i.environment_id, i.id, case when n > 2 then 'on-event' else 'sync' end,
       case when n > 2 then 'f-' || n else 'contacts' end, '1', 'repo',
       case when n > 2 then $2::jsonb else $3::jsonb end,
       '\\x00', now(), date_trunc('milliseconds', now()) - n * interval '1 second'
       from generate_series(1, $1::int) n join integrations i on i.unique_key = case when n = 2 then 'rare' else 'bench' end`,
    [functions, writeDefinition(onEvent), writeDefinition(sync)],
  );
  // None becomes due while a large installation is filled and measured: a million runs would be what is measured.
  await client.query(
    `insert into syncs (id, environment_id, connection_uuid, function_id, name, paused, interval_ms, anchored_at,
       next_run_at, consecutive_failures, created_at, updated_at)
     select gen_random_uuid(), c.environment_id, c.uuid, f.id, f.name, c.id % 500 = 6, 3600000, now(),
       now() + interval '1 day', (c.id % 500 = 7)::int, c.created_at, now()
       from connections c join functions f on f.integration_id = c.integration_id and f.type = 'sync'`,
  );
  await client.query(
    `with own as (
       insert into record_environments (environment_id)
       select environment_id from integrations where unique_key = 'bench' returning environment_id, number)
     insert into record_models (id, environment_id, connection_uuid, model, last_modified_at, bytes, bytes_sequence)
     select own.number * 4294967296 + nextval('record_model_numbers'), own.environment_id, c.uuid,
       case when c.id % 1000 = 8 then 'Rare' else 'Contact' end, now(), 0, 0
       from own join connections c on c.environment_id = own.environment_id`,
  );
  await client.query(
    `insert into deployments (id, environment_id, way, state, actor, summary, created_at)
     select gen_random_uuid(), environment_id, 'upload', 'success', '{"type": "key", "id": null, "name": null}',
       '{"created": 0, "updated": 0, "removed": 0, "unchanged": 1, "changes": []}',
       date_trunc('milliseconds', now()) - n * interval '1 second'
       from integrations, generate_series(1, $1::int) n where unique_key = 'bench'`,
    [deployments],
  );
  await client.query("vacuum analyze");
  await client.end();
}

async function insertConnections(
  client: pg.Client,
  { first, count, seal }: { first: number; count: number; seal: Filled["seal"] },
): Promise<void> {
  const uuids = Array.from({ length: count }, () => randomUUID());
  const credentials: Buffer[] = [];
  for (const uuid of uuids) credentials.push(await seal(uuid));
  await client.query(
    `insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, tags, credentials,
       needs_reauthorization_at, refresh_not_before, refresh_failures, refresh_lease_until, is_pending,
       credentials_expire_at, next_refresh_at, last_used_on, last_fetched_at, created_at, updated_at)
     select given.uuid, i.environment_id, i.id, 'c-' || n, 'OAUTH2',
       jsonb_build_object('end_user_id', 'u' || n, 'end_user_email', 'user' || n || '@example.com'),
       given.credentials,
       case when n % 200 = 1 then now() end, case when n % 200 = 2 then now() + interval '1 minute' end,
       (n % 200 = 2)::int, case when n % 5000 = 3 then now() + interval '1 hour' end, n % 1000 = 4,
       date_trunc('milliseconds', now()) + case when n % 200 = 5 then interval '10 minutes' else interval '30 days' end,
       now() + interval '12 hours' + n % 43200 * interval '1 second',
       current_date, now(), date_trunc('milliseconds', now()) - interval '1 hour' - n * interval '1 second', now()
       from unnest($2::uuid[], $3::bytea[]) with ordinality as given (uuid, credentials, place)
      cross join lateral (select $1::int + place - 1 as n) numbered
       join integrations i on i.unique_key = case when n % 100 = 1 then 'rare' else 'bench' end`,
    [first, uuids, credentials],
  );
}
