-- compatible since: 0001
-- mode: concurrently
-- The sweep for problems reads a few connections of each integration, however many it has that need their end user or wait
-- for their refresh, and a bounded number of models with refused deletes of each environment. A search for functions by
-- name reads names in an index.
drop index concurrently if exists connections_refused;
create index concurrently connections_refused
  on connections (environment_id, integration_id, needs_reauthorization_at)
  where deleted_at is null and needs_reauthorization_at is not null;
drop index concurrently if exists connections_backed_off;
create index concurrently connections_backed_off
  on connections (environment_id, integration_id,
    (case when refresh_error ->> 'kind' = 'misconfigured' then 'client_refused' else 'refresh_backoff' end), refresh_not_before)
  where deleted_at is null and needs_reauthorization_at is null and refresh_not_before is not null
    and refresh_error is not null;
drop index concurrently if exists connection_counts_troubled;
create index concurrently connection_counts_troubled
  on connection_counts (state, environment_id, integration_id) where state in ('needs_reauthorization', 'backoff');
drop index concurrently if exists functions_listed;
create index concurrently functions_listed
  on functions (environment_id, created_at desc, id desc) include (integration_id, type, name)
  where deleted_at is null and created_at > '-infinity';
drop index concurrently if exists functions_created;
drop index concurrently if exists record_models_refusals;
create index concurrently record_models_refusals on record_models (environment_id, id desc)
  where refused_deletes is not null;
drop index concurrently if exists record_models_refused;
