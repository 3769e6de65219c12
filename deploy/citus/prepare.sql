-- Makes an up-to-date schema one that Citus can distribute. It also runs on plain PostgreSQL, and can be repeated. Stop
-- all servers first: it rewrites keys, and moves records between tables. See docs/scale.md.
--
--   psql -v ON_ERROR_STOP=1 -f prepare.sql "$SVC_DATABASE_URL"
begin;

-- Each unique key has to contain the column by which its table is distributed. The keys keep their names, by which the
-- server's statements name them, and begin with the id, so that no other index looks as short a way.
alter table operations
  drop constraint operations_pkey,
  add constraint operations_pkey primary key (id, created_at, environment_id);
alter table operation_messages
  drop constraint operation_messages_pkey,
  add constraint operation_messages_pkey primary key (id, created_at, environment_id);

-- Events of providers that were handled, by which repetitions are found. Those of an environment that goes are deleted
-- by the server.
alter table inbound_events
  drop constraint if exists inbound_events_environment_id_fkey,
  drop constraint inbound_events_pkey,
  add constraint inbound_events_pkey primary key (integration_id, hash, environment_id);

-- The inbox of providers' webhooks. What its triggers did the server does itself: it counts what inboxes keep, and notes
-- which environments have something to be handled. Keys begin with the id, so that no other index looks as short a way.
drop trigger if exists count_inbox_usage_added on inbound_webhooks;
drop trigger if exists count_inbox_usage_deleted on inbound_webhooks;
drop trigger if exists fill_environment on inbound_webhook_connections;
alter table inbound_webhook_connections
  alter column environment_id set not null,
  drop constraint if exists inbound_webhook_connections_webhook_id_fkey,
  drop constraint inbound_webhook_connections_pkey,
  add constraint inbound_webhook_connections_pkey primary key (webhook_id, connection_uuid, environment_id);
alter table inbound_webhooks
  drop constraint if exists inbound_webhooks_environment_id_fkey,
  drop constraint inbound_webhooks_pkey cascade,
  add constraint inbound_webhooks_pkey primary key (id, environment_id);
alter table inbound_webhook_connections
  add constraint inbound_webhook_connections_webhook_id_fkey
    foreign key (webhook_id, environment_id) references inbound_webhooks (id, environment_id) on delete cascade;
insert into due_notes (work, environment_id, queue, due_at)
  select 'inbox', environment_id, integration_id, min(next_attempt_at) from inbound_webhooks
   where state = 'waiting' and next_attempt_at is not null
     and environment_id in (select id from environments)
   group by environment_id, integration_id;

-- Deliveries and what belongs to them, in the same way. An environment's receivers that have turns are walked through by an
-- index of their own.
drop trigger if exists delete_attempts on webhook_deliveries;
drop trigger if exists keep_delivery_turns_added on webhook_deliveries;
drop trigger if exists keep_delivery_turns_changed on webhook_deliveries;
drop trigger if exists keep_delivery_turns_removed on webhook_deliveries;
drop trigger if exists fill_environment on webhook_attempts;
alter table webhook_receivers
  drop constraint if exists webhook_receivers_environment_id_fkey,
  drop constraint webhook_receivers_pkey,
  add constraint webhook_receivers_pkey primary key (id, environment_id);
alter table webhook_payloads
  drop constraint if exists webhook_payloads_environment_id_fkey,
  drop constraint webhook_payloads_pkey,
  add constraint webhook_payloads_pkey primary key (id, environment_id);
alter table webhook_deliveries
  drop constraint if exists webhook_deliveries_environment_id_fkey,
  drop constraint webhook_deliveries_pkey,
  add constraint webhook_deliveries_pkey primary key (id, created_at, environment_id);
-- Of deliveries whose day was dropped.
delete from webhook_attempts where environment_id is null;
alter table webhook_attempts
  alter column environment_id set not null,
  drop constraint webhook_attempts_pkey,
  add constraint webhook_attempts_pkey primary key (id, created_at, environment_id);
alter table delivery_turns
  drop constraint delivery_turns_pkey,
  add constraint delivery_turns_pkey primary key (receiver_id, created_at, delivery_id, environment_id);
create index if not exists delivery_turns_receivers on delivery_turns (environment_id, receiver_id);
alter table failed_deliveries drop constraint if exists failed_deliveries_environment_id_fkey;
insert into due_notes (work, environment_id, due_at)
  select 'webhook-deliveries', environment_id, min(next_attempt_at) from delivery_turns
   where environment_id in (select id from environments)
   group by environment_id;

-- A model of records is found by its number alone. The server keeps the directory of numbers itself; the trigger was for
-- the release before, as was that which notes models whose bytes are not known.
drop trigger if exists keep_record_directory on record_models;
drop trigger if exists note_uncounted_model on record_models;
-- Notes of changes for readers of a feed, too.
drop trigger if exists note_feed_change_added on record_models;
drop trigger if exists note_feed_change on record_models;
drop trigger if exists note_feed_change_removed on record_models;
alter table record_models
  drop constraint if exists record_models_environment_id_fkey,
  drop constraint if exists record_models_id_key,
  drop constraint record_models_pkey,
  add constraint record_models_pkey primary key (id);

create index if not exists record_models_connection on record_models (environment_id, connection_uuid);

-- Triggers of partitions keep histories: without them changes would be missing. The server removes what was kept.
update record_histories set ended_at = now() where ended_at is null;

-- Records of an environment lie in partitions of partitions, which Citus does not have: they become one table.
do $$
begin
  if (select relkind from pg_class where oid = 'records'::regclass) = 'p' then
    create table flat_records (like records including all);
    insert into flat_records select * from records;
    drop table records;
    alter table flat_records rename to records;
    alter index flat_records_pkey rename to records_pkey;
    alter table records set (autovacuum_vacuum_scale_factor = 0.05);
  end if;
end
$$;

-- Stays empty: a change of it makes Citus commit a transaction in two phases.
create table if not exists two_phase_guard (id integer primary key);

commit;
