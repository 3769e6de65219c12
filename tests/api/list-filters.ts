import { sql } from "kysely";
import { listConnections } from "../../packages/server/src/connections/listing/list-connections.ts";
import {
  addMs,
  DAY,
  type EnvironmentContext,
  HOUR,
} from "../../packages/server/src/foundation/index.ts";
import { listOperationNames } from "../../packages/server/src/logs/reading/list-operation-names.ts";
import { listOperations } from "../../packages/server/src/logs/reading/list-operations.ts";
import {
  listRecordModels,
  type ModelQuery,
} from "../../packages/server/src/records/models/list-models.ts";
import {
  listEnvironmentSyncs,
  type SyncQuery,
} from "../../packages/server/src/syncs/listing/list-syncs.ts";
import { listInbox } from "../../packages/server/src/webhooks-in/inbox/list-inbox.ts";
import { listDue, storeOutcomes } from "../../packages/server/src/webhooks-in/store.ts";
import { listDeliveries } from "../../packages/server/src/webhooks-out/deliveries/list-deliveries.ts";

/** Rows of each list, most of which are alike; one in a thousand is of a rare kind. */
export interface Crowd {
  readonly integrationId: number;
  readonly receivers: readonly string[];
  readonly now: Date;
}

const rare = sql.raw("n % 1000 = 7");

export async function fillLists(ctx: EnvironmentContext, rows: number): Promise<Crowd> {
  const { id } = ctx.environment;
  const now = ctx.clock.now();
  const times = sql`${addMs(now, -HOUR)}::timestamptz - n * interval '10 milliseconds'`;
  const { rows: integrations } = await sql<{ id: number }>`
    insert into integrations (environment_id, unique_key, provider, created_at, updated_at)
    select ${id}, key, 'github', ${now}, ${now} from unnest(array['crm', 'idle']) key
    returning id::int`.execute(ctx.db);
  const integrationId = integrations[0]?.id ?? 0;
  const { rows: receivers } = await sql<{ id: string }>`
    insert into webhook_receivers (id, environment_id, url, disabled_at)
    select gen_random_uuid(), ${id}, 'https://example.com/' || n, case when n = 2 then now() end
      from generate_series(1, 3) n returning id`.execute(ctx.db);
  await fillOperations(ctx, rows);
  await sql`
    insert into webhook_deliveries (id, environment_id, receiver_id, type, url, body, connection_id, state, created_at)
    select gen_random_uuid(), ${id}, case when ${rare} then ${receivers[1]?.id}::uuid else ${receivers[0]?.id}::uuid end,
           case when ${rare} then 'auth' else 'sync' end, 'https://example.com/1', '\\x00',
           case when ${rare} then 'rare' else 'busy' end,
           case when n % 1000 = 8 then 'failed' when ${rare} then 'waiting' else 'delivered' end, ${times}
      from generate_series(1, ${rows}::int) n`.execute(ctx.db);
  await sql`
    insert into inbound_webhooks (id, environment_id, integration_id, request, body_bytes, is_verified, types,
                                  completes, state, next_attempt_at, received_at)
    select gen_random_uuid(), ${id}, ${integrationId}, '\\x00', 1, true, '[]', false,
           case when n % 1000 = 8 then 'failed' when n % 100 = 7 then 'waiting' else 'handled' end, ${times}, ${times}
      from generate_series(1, ${rows}::int) n`.execute(ctx.db);
  await sql`
    insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, tags,
                             needs_reauthorization_at, credentials_expire_at, last_used_on, created_at, updated_at)
    select gen_random_uuid(), ${id}, ${integrationId}, 'customer-' || n, 'NONE', '\\x00',
           case when ${rare} then '{"plan": "rare"}' else '{"plan": "usual"}' end::jsonb,
           case when ${rare} then ${now}::timestamptz end, ${times} + interval '1 day', (${times})::date, ${times}, ${times}
      from generate_series(1, ${rows}::int) n`.execute(ctx.db);
  await fillSyncs(ctx, integrationId);
  await fillModels(ctx);
  return { integrationId, receivers: receivers.map((row) => row.id), now };
}

/** One for each connection; one in a thousand fails. */
async function fillSyncs(ctx: EnvironmentContext, integrationId: number): Promise<void> {
  const { id } = ctx.environment;
  const now = ctx.clock.now();
  const definition = { models: ["Contact"], frequency: "every hour" };
  await sql`
    with bundle as (
      insert into function_bundles (environment_id, sha256, code, source, created_at)
      values (${id}, '\\x00', '', '', ${now}) returning sha256),
    fn as (
      insert into functions (environment_id, integration_id, type, name, version, source, definition, bundle_sha256,
                             deployed_at, created_at)
      select ${id}, ${integrationId}, 'sync', 'contacts', '1', 'repo', ${JSON.stringify(definition)}, sha256, ${now}, ${now}
        from bundle returning id)
    insert into syncs (id, environment_id, connection_uuid, function_id, name, paused, interval_ms, anchored_at,
                       next_run_at, consecutive_failures, created_at, updated_at)
    select gen_random_uuid(), ${id}, c.uuid, fn.id, 'contacts', false, 3600000, ${now}, ${addMs(now, HOUR)},
           (c.tags ->> 'plan' = 'rare')::int, c.created_at, c.created_at
      from fn, connections c where c.environment_id = ${id}`.execute(ctx.db);
}

/** One for each connection. */
async function fillModels(ctx: EnvironmentContext): Promise<void> {
  const { id } = ctx.environment;
  await sql`
    with own as (
      insert into record_environments (environment_id) values (${id})
      on conflict (environment_id) do update set environment_id = excluded.environment_id returning number)
    insert into record_models (id, environment_id, connection_uuid, model, last_modified_at)
    select own.number * 4294967296 + nextval('record_model_numbers'), ${id}, c.uuid, 'Contact', c.created_at
      from own, connections c where c.environment_id = ${id}`.execute(ctx.db);
}

async function fillOperations(ctx: EnvironmentContext, rows: number): Promise<void> {
  const now = ctx.clock.now();
  await sql`
    insert into operations (id, environment_id, type, action, state, level, message, integration, connection, function,
                            created_at)
    select gen_random_uuid(), ${ctx.environment.id}, case when ${rare} then 'auth' else 'sync' end, 'run',
           case when n % 1000 = 8 then 'cancelled' when n % 50 = 9 then 'failed' else 'success' end,
           case when n % 50 = 9 then 'error' else 'info' end, 'Run ' || n,
           jsonb_build_object('id', 1, 'name', case when ${rare} then 'rare' else 'crm' end),
           jsonb_build_object('id', 1, 'name', case when ${rare} then 'rare' else 'busy ' || n % 3 end),
           jsonb_build_object('id', 1, 'name', case when ${rare} then 'rare' else 'contacts' end),
           ${addMs(now, -HOUR)}::timestamptz - n * interval '10 milliseconds'
      from generate_series(1, ${rows}::int) n`.execute(ctx.db);
}

/** What a list may read: about its page, or as much as one page of a filtered list looks at. */
type Cost = "page" | "bound";

export interface ListCase {
  readonly name: string;
  readonly cost: Cost;
  readonly list: (ctx: EnvironmentContext) => Promise<unknown>;
}

export function listCases(crowd: Crowd): ListCase[] {
  return [
    ...operationCases(crowd),
    ...deliveryCases(crowd),
    ...inboxCases(crowd),
    ...connectionCases(crowd),
    ...syncCases(),
    ...modelCases(),
  ];
}

function modelCases(): ListCase[] {
  const models = (name: string, query: Partial<ModelQuery>): ListCase => ({
    name: `models ${name}`,
    cost: "page",
    list: async (ctx) => {
      const all = { integrationKey: undefined, connectionId: undefined, model: undefined };
      return await listRecordModels(ctx, { ...all, limit: 100, cursor: undefined, ...query });
    },
  });
  return [
    models("of all kinds", {}),
    models("of a connection", { integrationKey: "crm", connectionId: "customer-17" }),
    models("of a name", { model: "Contact" }),
    models("of a name that none has", { model: "Nothing" }),
  ];
}

function syncCases(): ListCase[] {
  const syncs = (name: string, cost: Cost, query: Partial<SyncQuery>): ListCase => ({
    name: `syncs ${name}`,
    cost,
    list: async (ctx) => await listEnvironmentSyncs(ctx, { limit: 100, ...query }),
  });
  return [
    syncs("of all kinds", "page", {}),
    syncs("of an integration", "page", { integrationKey: "crm" }),
    syncs("of an integration without any", "page", { integrationKey: "idle" }),
    syncs("of a name", "page", { name: "contacts" }),
    syncs("of a name that none has", "page", { name: "nobody" }),
    syncs("of a connection", "page", { connectionId: "customer-17" }),
    syncs("that are fine", "page", { state: "ok" }),
    syncs("that are fine, of an integration", "page", { state: "ok", integrationKey: "crm" }),
    syncs("that fail", "page", { state: "failing" }),
    syncs("that fail, of an integration without any", "page", {
      ...{ state: "failing", integrationKey: "idle" },
    }),
    syncs("that are paused, of which there is none", "page", { state: "paused" }),
    syncs("that run, of which there is none", "page", { state: "running" }),
    syncs("that are disabled, of which there is none", "page", { state: "disabled" }),
  ];
}

type Filter = Parameters<typeof listOperations>[1]["filter"];

function operationCases({ now }: Crowd): ListCase[] {
  const operations = (name: string, cost: Cost, filter: Filter, from?: Date): ListCase => ({
    name: `operations ${name}`,
    cost,
    list: async (ctx) => {
      const none = { to: undefined, search: undefined, cursor: undefined };
      return await listOperations(ctx, { filter, from, limit: 100, ...none });
    },
  });
  const twenty = Array.from({ length: 20 }, (_, index) => `nobody ${index}`);
  return [
    operations("of all kinds", "page", {}),
    operations("of a period", "page", {}, addMs(now, -2 * HOUR)),
    operations("that failed", "page", { states: ["failed"] }),
    operations("that were cancelled, of those that did not go well", "bound", {
      states: ["cancelled"],
    }),
    operations("that wait, of which there is none", "bound", { states: ["waiting"] }),
    operations("of a level", "bound", { levels: ["error"] }),
    operations("of a level that none has", "bound", { levels: ["debug"] }),
    operations("of a usual type", "page", { types: ["sync"] }),
    operations("of a rare type", "bound", { types: ["auth:run"] }),
    operations("of a type that none has", "bound", { types: ["deploy"] }),
    operations("of an integration", "page", { integrations: ["crm"] }),
    operations("of an integration that none has", "bound", { integrations: ["nobody"] }),
    operations("of a function that none has", "bound", { functions: ["nobody"] }),
    operations("of a connection", "page", { connections: ["busy 1"] }),
    operations("of a connection that none has", "page", { connections: ["nobody"] }),
    operations("of three connections", "page", { connections: ["busy 0", "busy 1", "rare"] }),
    operations("of twenty connections that none has", "page", { connections: twenty }),
    operations("of a connection, that failed", "bound", {
      connections: ["busy 1"],
      states: ["failed"],
    }),
    operations("of two connections, of a rare type", "bound", {
      connections: ["busy 0", "busy 1"],
      types: ["auth"],
    }),
    operations("by everything at once", "bound", {
      ...{ states: ["failed"], levels: ["error"], types: ["sync"], connections: ["busy 2"] },
      ...{ integrations: ["crm"], functions: ["nobody"] },
    }),
    {
      name: "names of functions",
      cost: "bound",
      list: async (ctx) =>
        await listOperationNames(ctx, {
          of: "functions",
          prefix: "x",
          limit: 20,
          from: addMs(now, -DAY),
        }),
    },
  ];
}

function deliveryCases({ receivers: [usual, quiet, unused], now }: Crowd): ListCase[] {
  const deliveries = (
    name: string,
    cost: Cost,
    filter: Parameters<typeof listDeliveries>[1]["filter"],
  ): ListCase => ({
    name: `deliveries ${name}`,
    cost,
    list: async (ctx) => await listDeliveries(ctx, { filter, limit: 100, cursor: undefined }),
  });
  return [
    deliveries("of all kinds", "page", {}),
    deliveries("of a period", "page", { since: addMs(now, -2 * HOUR), until: addMs(now, -HOUR) }),
    deliveries("that failed", "page", { state: "failed" }),
    deliveries("that wait", "page", { state: "waiting" }),
    deliveries("that are held", "page", { state: "held" }),
    deliveries("that were delivered", "page", { state: "delivered" }),
    deliveries("of a usual type", "page", { type: "sync" }),
    deliveries("of a rare type", "page", { type: "auth" }),
    deliveries("of a type that none has", "page", { type: "forward" }),
    deliveries("to a busy receiver", "page", { receiver: usual }),
    deliveries("to a quiet receiver", "page", { receiver: quiet }),
    deliveries("to a receiver without any", "page", { receiver: unused }),
    deliveries("of a connection", "page", { connectionId: "busy" }),
    deliveries("of a connection that none has", "page", { connectionId: "nobody" }),
    deliveries("of a busy connection and a type that it has not", "bound", {
      connectionId: "busy",
      type: "forward",
    }),
    deliveries("that failed, to a receiver without any", "bound", {
      state: "failed",
      receiver: unused,
    }),
    deliveries("of an integration that none has", "bound", { integrationKey: "nobody" }),
    deliveries("of a status that none has", "bound", { status: "3xx" }),
    deliveries("that were delivered, of a type that none has", "page", {
      state: "delivered",
      type: "forward",
    }),
  ];
}

function inboxCases({ integrationId, now }: Crowd): ListCase[] {
  type Query = Partial<Parameters<typeof listInbox>[1]>;
  const inbox = (name: string, cost: Cost, query: Query): ListCase => ({
    name: `inbox ${name}`,
    cost,
    list: async (ctx) => {
      const all = { integrationKey: undefined, state: undefined };
      const none = { from: undefined, to: undefined, cursor: undefined };
      return await listInbox(ctx, { ...all, ...none, ...query, limit: 100 });
    },
  });
  return [
    inbox("of all kinds", "page", {}),
    inbox("of a period", "page", { from: addMs(now, -2 * HOUR), to: addMs(now, -HOUR) }),
    inbox("that failed", "page", { state: "failed" }),
    inbox("that was handled", "page", { state: "handled" }),
    inbox("that is a duplicate, of which there is none", "bound", { state: "duplicate" }),
    inbox("that waits", "bound", { state: "waiting" }),
    inbox("of a busy integration", "page", { integrationKey: "crm" }),
    inbox("of an integration without any", "page", { integrationKey: "idle" }),
    inbox("of an integration that does not exist", "page", { integrationKey: "nobody" }),
    inbox("of a type that none has", "bound", { type: "nothing" }),
    inbox("that failed, of an integration without any", "bound", {
      state: "failed",
      integrationKey: "idle",
    }),
    {
      name: "inbox that is due",
      cost: "page",
      list: async (ctx) => {
        const queue = { environmentId: ctx.environment.id, integrationId };
        const due = await listDue(ctx.db, queue, { now, limit: 100, maxBytes: 1_000_000 });
        const outcomes = due.map(({ id }) => ({
          ...{ id, state: "handled" as const, error: null, operationId: null },
        }));
        await storeOutcomes(ctx.db, queue, outcomes, now);
      },
    },
  ];
}

function connectionCases({ now }: Crowd): ListCase[] {
  const connections = (
    name: string,
    cost: Cost,
    listing: Parameters<typeof listConnections>[1],
  ): ListCase => ({
    name: `connections ${name}`,
    cost,
    list: async (ctx) => await listConnections(ctx, { limit: 100, ...listing }),
  });
  return [
    connections("of all kinds", "page", {}),
    connections("of an id", "page", { connectionId: "customer-17" }),
    connections("of an id that none has", "page", { connectionId: "nobody" }),
    connections("of a busy integration", "page", { integrationId: "crm" }),
    connections("of an integration without any", "page", { integrationId: "idle" }),
    connections("of two integrations", "bound", { integrationId: "crm,idle" }),
    connections("of a text that many have", "page", { search: "customer" }),
    connections("that are fine", "page", { state: "ok" }),
    connections("that need the end user", "page", { state: "needs_reauthorization" }),
    connections("that are in a back-off, of which there is none", "page", { state: "backoff" }),
    connections("that are being refreshed, of which there is none", "page", {
      state: "refreshing",
    }),
    connections("that are pending, of which there is none", "page", { state: "pending" }),
    connections("that need the end user, of an integration without any", "page", {
      ...{ state: "needs_reauthorization", integrationId: "idle" },
    }),
    connections("by expiry", "page", { sort: "expires_at" }),
    connections("that expire before a time", "page", { expiresBefore: addMs(now, DAY) }),
    connections("that have expired, of which there is none", "page", {
      expiresBefore: addMs(now, -DAY),
    }),
    connections("that nobody has used", "page", { unusedSince: now }),
    connections("that nobody has used for a year", "page", { unusedSince: addMs(now, -365 * DAY) }),
    connections("by use", "page", { sort: "last_used_at" }),
  ];
}
