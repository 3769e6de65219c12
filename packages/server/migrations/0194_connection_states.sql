-- compatible since: 0001
-- mode: concurrently
-- The lists of connections by their state, without the lease of a refresh, which refresh_leases has. The release before
-- still lists them.
drop index concurrently if exists connections_state_ok;
create index concurrently connections_state_ok
  on connections (environment_id, created_at desc, id desc) include (integration_id)
  where deleted_at is null and needs_reauthorization_at is null and refresh_not_before is null and not is_pending;
drop index concurrently if exists connections_state_pending;
create index concurrently connections_state_pending
  on connections (environment_id, created_at desc, id desc) include (integration_id)
  where deleted_at is null and needs_reauthorization_at is null and refresh_not_before is null and is_pending;
drop index concurrently if exists connections_state_backoff;
create index concurrently connections_state_backoff
  on connections (environment_id, created_at desc, id desc) include (integration_id)
  where deleted_at is null and needs_reauthorization_at is null and refresh_not_before is not null;
drop index concurrently if exists connections_ok;
drop index concurrently if exists connections_pending;
drop index concurrently if exists connections_backoff;
drop index concurrently if exists connections_refreshing;
