import { serialize } from "node:v8";
import { afterAll, beforeAll, expect, test } from "vitest";
import { groups } from "./distributed-tables.ts";
import { findProblems } from "./hold-statements.ts";
import { openPrepared } from "./prepared-database.ts";
import { makeShadow } from "./shadow.ts";

// Promise U10: a statement that would reach several servers is found by the partitions that it reads.

let prepared: Awaited<ReturnType<typeof openPrepared>>;
beforeAll(async () => {
  prepared = await openPrepared();
  await makeShadow(prepared.client, groups);
});
afterAll(async () => await prepared[Symbol.asyncDispose]());

const ID = "00000000-0000-4000-8000-000000000001";
const OTHER = "00000000-0000-4000-8000-000000000002";

async function hold(text: string, values: readonly unknown[] = []) {
  const { traps, plans, reach, joins } = await findProblems(prepared.client, {
    text,
    values: serialize(values).toString("base64"),
  });
  return { problems: [...traps, ...plans, ...reach], joins };
}

test.each([
  ["select * from operations where id = $1", [ID], "reaches 16 of 16 servers for operations"],
  [
    "select * from operations o join operation_messages m on m.operation_id = o.id where o.environment_id = $1",
    [ID],
    "reaches 16 of 16 servers for operation_messages",
  ],
  [
    `select * from operations o join operation_messages m on m.operation_id = o.id
      where o.environment_id = $1 and m.environment_id = $2`,
    [ID, OTHER],
    "reaches different servers for operation_messages, operations",
  ],
  [
    "select * from inbound_webhooks where state = 'waiting' order by next_attempt_at limit 1",
    [],
    "reaches 16 of 16 servers for inbound_webhooks",
  ],
  [
    `select w.id from inbound_webhook_connections k join inbound_webhooks w on w.id = k.webhook_id
      where w.environment_id = $1`,
    [ID],
    "reaches 16 of 16 servers for inbound_webhook_connections",
  ],
  [
    "select t.receiver_id from delivery_turns t order by t.receiver_id limit 1",
    [],
    "reaches 16 of 16 servers for delivery_turns",
  ],
  [
    `select a.id from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
      where d.environment_id = $1`,
    [ID],
    "reaches 16 of 16 servers for webhook_attempts",
  ],
  [
    "update records set pruned_at = $1 where record_id = 'a'",
    [null],
    "reaches 16 of 16 servers for records",
  ],
  [
    "delete from record_models where environment_id = $1",
    [ID],
    "reaches 16 of 16 servers for record_models",
  ],
  [
    "insert into record_sightings (model_id, ids) select id, '{}' from unnest($1::bigint[]) as m (id)",
    [[1, 2]],
    "inserts into record_sightings rows of any model_id (m.id)",
  ],
  [
    "insert into record_sightings (model_id, ids) values ($1, '{}'), ($2, '{}')",
    [1, 2],
    "inserts into record_sightings rows of several servers",
  ],
  [
    "insert into record_trackings (model_id, tracker, begun_at) values ($1, 'a', now()) on conflict (tracker) do nothing",
    [1],
    "cannot be planned: there is no unique or exclusion constraint matching the ON CONFLICT specification",
  ],
])("of %s it is found", async (text, values, found) => {
  expect((await hold(text, values)).problems).toEqual([found]);
});

test.each([
  [
    "select m.id, c.connection_id from record_models m join connections c on c.uuid = m.connection_uuid where m.id = 7",
    "reaches record_models next to connections of the first server",
  ],
  [
    `select id from record_models
      where id >= (select number * 4294967296 from record_environments where environment_id = '${ID}')`,
    "reaches record_models next to record_environments of the first server",
  ],
  [
    `with failed as (select environment_id, integration_id from inbound_webhooks where state = 'failed')
     insert into problems (environment_id, fingerprint, kind, integration, since, last_at, count, sample)
     select f.environment_id, 'inbox', 'inbox_failed', i.unique_key, now(), now(), 1, '[]'
       from failed f join integrations i on i.id = f.integration_id`,
    "reaches inbound_webhooks next to integrations, problems of the first server",
  ],
  [
    `select count(*) from webhook_receivers r
      cross join lateral (select from delivery_turns t where t.receiver_id = r.id limit 10) due`,
    "joins delivery_turns, webhook_receivers by other columns than those that they are distributed by",
  ],
])("the join of different servers in %s is found", async (text, found) => {
  expect((await hold(text)).joins).toEqual([found]);
});

test.each([
  `select count(*) from webhook_receivers r cross join lateral (
     select from delivery_turns t where t.environment_id = r.environment_id and t.receiver_id = r.id limit 10) due`,
  "select environment_id, count(*) from inbound_webhooks where state = 'failed' group by environment_id",
  "select c.uuid from connections c join integrations i on i.id = c.integration_id",
])("no join of different servers is found in %s", async (text) => {
  expect((await hold(text)).joins).toEqual([]);
});

test.each([
  [
    `select * from operations o join operation_messages m on m.operation_id = o.id and m.environment_id = o.environment_id
      where o.environment_id = $1`,
    [ID],
  ],
  [
    `insert into records (model_id, record_id, sequence, hash, first_seen_at, last_modified_at)
     select m.id, 'a', m.sequence, '', now(), now() from record_models m where m.id = $1`,
    [7],
  ],
  [
    `insert into inbound_webhook_connections (environment_id, webhook_id, connection_uuid, received_at)
     select w.environment_id, w.id, $2, w.received_at from inbound_webhooks w where w.environment_id = $1`,
    [ID, OTHER],
  ],
  ["copy (select payload from records where model_id = 7) to stdout (format binary)", []],
])("nothing is found in %s", async (text, values) => {
  expect(await hold(text, values)).toEqual({ problems: [], joins: [] });
});
