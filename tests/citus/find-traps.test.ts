import { expect, test } from "vitest";
import { groups } from "./distributed-tables.ts";
import { findTraps } from "./find-traps.ts";

// Promise U10: texts that Citus refuses are found without a cluster. What is sent by the suites is read at the end of
// each run (`hold-statements.ts`).

test.each([
  [
    "update records set model_id = $2 where model_id = $1 and record_id = $3",
    "sets records.model_id",
  ],
  [
    "insert into record_models (id, model) values ($1, $2) on conflict (id) do update set id = excluded.id",
    "sets record_models.id",
  ],
  [
    "update record_models set last_modified_at = greatest($2, last_modified_at + interval '1 microsecond') where id = $1",
    "changes record_models by a time that depends on the session: last_modified_at + interval",
  ],
  [
    "select id from record_models where model = $1 for update",
    "locks rows of record_models without id",
  ],
  [
    "select * from (select from operations where id = $1 for update) o where environment_id = $2",
    "locks rows of operations without environment_id",
  ],
  [
    "set local enable_sort = off; select from records where model_id = $1",
    "sets a parameter in one message with a query",
  ],
  [
    "with off as (select set_config('enable_sort', 'off', true)) select from records, off where model_id = $1",
    "sets a parameter in one message with a query",
  ],
  [
    `with hits as materialized (select id from operations where environment_id = $1)
     select o.* from hits cross join lateral (select * from operations where id = hits.id offset 0) o`,
    "looks rows up by a lateral over the common table expression hits",
  ],
  [
    `with gone as (delete from records where model_id = $1 returning 1)
     delete from operations where environment_id = $2`,
    "changes tables that lie apart: records, operations",
  ],
  [
    `insert into record_models (id, environment_id) select $1, id from environments where id = $2`,
    "changes a distributed table and reads environments",
  ],
  [
    `select id from record_models
      where id = $1 and exists (select from environments where id = $2 and deleted_at is null) for update`,
    "locks rows of a distributed table and reads environments",
  ],
  [
    `with added as (insert into inbound_webhooks (id, environment_id) values ($1, $2)) select pg_notify('due', 'inbox')`,
    "inserts into inbound_webhooks within a common table expression",
  ],
  [
    `update inbound_webhooks set leased_until = null
      where environment_id = $1 and exists (select from due_notes where environment_id = $1)`,
    "changes a distributed table and reads due_notes",
  ],
  [
    `with stored as (update webhook_deliveries set state = $2 where environment_id = $1 and id = $3 returning id),
          tried as (insert into webhook_attempts (id, delivery_id) select $4, id from stored)
     select id from stored`,
    "inserts into webhook_attempts within a common table expression",
  ],
  [
    `select d.id from webhook_deliveries d where d.id = $1 for update skip locked`,
    "locks rows of webhook_deliveries without environment_id",
  ],
  [
    "update webhook_deliveries set next_attempt_at = created_at + interval '1 minute' where environment_id = $1",
    "changes webhook_deliveries by a time that depends on the session: created_at + interval",
  ],
])("of %s it is found", (text, found) => {
  expect(findTraps(text, groups)).toEqual([found]);
});

test.each([
  "update record_models set sequence = sequence + $2 where id = $1",
  "update record_models set last_modified_at = (last_modified_at at time zone 'UTC' + interval '1 us') at time zone 'UTC' where id = $1",
  "select id from record_models where id = $1 for update",
  "with gone as (delete from records where model_id = $1 returning 1) select count(*) from gone",
  "update environments set deleted_at = $1 + interval '1 day' where id = $2",
  `with recursive steps (n) as (select 1)
   select from steps left join lateral (select from records where model_id = $1 and sequence > n limit 1) r on true`,
  "select 'update records set model_id = 1 ' from operations where environment_id = $1",
])("nothing is found in %s", (text) => {
  expect(findTraps(text, groups)).toEqual([]);
});
