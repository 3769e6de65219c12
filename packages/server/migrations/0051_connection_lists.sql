-- compatible since: 0001
-- mode: concurrently
-- An index for each state and each order in which connections are listed; they carry what counts are grouped by.
drop index concurrently if exists connections_needing_reauthorization;
create index concurrently connections_needing_reauthorization
  on connections (environment_id, created_at desc, id desc) include (integration_id)
  where deleted_at is null and needs_reauthorization_at is not null;
drop index concurrently if exists connections_refreshing;
create index concurrently connections_refreshing
  on connections (environment_id, created_at desc, id desc) include (integration_id)
  where deleted_at is null and needs_reauthorization_at is null and refresh_lease_until is not null;
drop index concurrently if exists connections_backoff;
create index concurrently connections_backoff
  on connections (environment_id, created_at desc, id desc) include (integration_id, refresh_lease_until)
  where deleted_at is null and needs_reauthorization_at is null and refresh_not_before is not null;
drop index concurrently if exists connections_pending;
create index concurrently connections_pending
  on connections (environment_id, created_at desc, id desc) include (integration_id, refresh_lease_until)
  where deleted_at is null and needs_reauthorization_at is null and refresh_not_before is null and is_pending;
drop index concurrently if exists connections_ok;
create index concurrently connections_ok
  on connections (environment_id, created_at desc, id desc) include (integration_id, refresh_lease_until)
  where deleted_at is null and needs_reauthorization_at is null and refresh_not_before is null and not is_pending;
drop index concurrently if exists connections_expiry;
create index concurrently connections_expiry
  on connections (environment_id, credentials_expire_at, id)
  where deleted_at is null and credentials_expire_at is not null;
-- The last condition is true of every row: only who reads in this order says so. While the table has no statistics,
-- Postgres would take this index for each list of the environment, as the smallest.
drop index concurrently if exists connections_unused;
create index concurrently connections_unused
  on connections (environment_id, last_used_on, id) where deleted_at is null and last_used_on > '-infinity';
