import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { columnsOf, groups } from "./distributed-tables.ts";
import { openPrepared, readDeployed } from "./prepared-database.ts";
import { findUnmet } from "./read-catalogue.ts";

// Promise U10: what Citus asks of a distributed table is read from the catalogue of the schema.

let prepared: Awaited<ReturnType<typeof openPrepared>>;
beforeAll(async () => {
  prepared = await openPrepared();
});
afterAll(async () => await prepared[Symbol.asyncDispose]());
beforeEach(async () => {
  await prepared.client.query("begin");
  return async () => void (await prepared.client.query("rollback"));
});

test("every distributed table has its column in all unique keys and references, and no trigger", async () => {
  expect(await findUnmet(prepared.client, groups)).toEqual([]);
});

test("a schema can be prepared twice", async () => {
  const text = (await readDeployed("prepare.sql")).replace(/^(begin|commit);$/gm, "");

  await prepared.client.query(text);

  expect(await findUnmet(prepared.client, groups)).toEqual([]);
});

test.each([
  [
    "a unique key without the column",
    "create unique index once on record_trackings (tracker)",
    "record_trackings: the unique key once lacks model_id",
  ],
  [
    "a reference to a table of the first server",
    "alter table record_models add constraint own foreign key (environment_id) references environments (id)",
    "record_models: the reference own to environments leaves the group",
  ],
  [
    "a reference to a table of another group",
    "alter table records add constraint own foreign key (model_id) references record_environments (number)",
    "records: the reference own to record_environments leaves the group",
  ],
  [
    "a reference without the column on both sides",
    `alter table record_models add unique (id, sequence);
     alter table record_sightings add other bigint, add constraint own foreign key (other, batch) references record_models (id, sequence)`,
    "record_sightings: the reference own to record_models lacks the column",
  ],
  [
    "a reference from a table of the first server",
    "alter table problems add model bigint, add constraint own foreign key (model) references record_models (id)",
    "problems: the reference own to record_models leaves the group",
  ],
  [
    "a trigger",
    "create trigger own after update on operations for each row execute function announce_change('id', '')",
    "operations has the trigger own",
  ],
  [
    "a unique key of the inbox without the column",
    "create unique index once on inbound_webhooks (sequence)",
    "inbound_webhooks: the unique key once lacks environment_id",
  ],
  [
    "a reference within the inbox that lacks the column on one side",
    `alter table inbound_webhook_connections drop constraint inbound_webhook_connections_webhook_id_fkey;
     alter table inbound_webhooks add unique (environment_id, sequence);
     alter table inbound_webhook_connections add place bigint,
       add constraint own foreign key (connection_uuid, place) references inbound_webhooks (environment_id, sequence)`,
    "inbound_webhook_connections: the reference own to inbound_webhooks lacks the column",
  ],
  [
    "a trigger of the inbox",
    "create trigger own after delete on inbound_webhooks for each statement execute function count_inbox_usage()",
    "inbound_webhooks has the trigger own",
  ],
  [
    "a unique key of deliveries without the column",
    "create unique index once on webhook_payloads (created_at)",
    "webhook_payloads: the unique key once lacks environment_id",
  ],
  [
    "a trigger of deliveries",
    `create trigger own after update on webhook_deliveries
       referencing new table as new_rows for each statement execute function keep_delivery_turns()`,
    "webhook_deliveries has the trigger own",
  ],
  [
    "a column that may be null",
    "alter table record_sightings drop constraint record_sightings_pkey, alter model_id drop not null",
    "record_sightings has no model_id that is never null",
  ],
  [
    "partitions of partitions",
    `create table some_messages partition of operation_messages for values from ('2000-01-01') to ('2000-01-02')
       partition by hash (id)`,
    "operation_messages has partitions of partitions",
  ],
])("%s is found", async (_what, change, found) => {
  await prepared.client.query(change);

  expect(await findUnmet(prepared.client, groups)).toEqual([found]);
});

test("the script that distributes names the same tables and columns", async () => {
  const text = await readDeployed("distribute.sql");

  const distributed = [...text.matchAll(/create_distributed_table\('(\w+)', '(\w+)'/g)];

  expect(distributed.map(([, table, column]) => [table, column])).toEqual([...columnsOf(groups)]);
});
