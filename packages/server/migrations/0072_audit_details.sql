-- compatible since: 0001
-- What of an audit row says who somebody is stands in a table of its own, so that it can be erased: the row has a
-- keyed digest of it, and its MAC covers that.
create table audit_details (
  event_id uuid not null,
  -- Who acted; or what, and whom, it was done to.
  part text not null check (part in ('actor', 'subject')),
  data jsonb not null,
  -- Without it nobody can try whether a name fits the digest, not even with the key.
  salt bytea not null,
  -- Keyed hashes of what it names, by which it is found.
  lookups text[] not null,
  primary key (event_id, part)
);
create index audit_details_lookups on audit_details using gin (lookups);

alter table audit_events
  add column actor_digest bytea,
  add column subject_digest bytea,
  -- What the fields were before, like "fields".
  add column before jsonb;
create index audit_events_actor on audit_events (account_id, (actor ->> 'id'), at desc, id desc);
create index audit_events_targets on audit_events using gin (jsonb_path_query_array(target, '$.*'));
