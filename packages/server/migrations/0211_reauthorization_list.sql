-- compatible since: 0001
-- mode: concurrently
-- Connections in the order in which their end users have to authorize them again.
drop index concurrently if exists connections_reauthorize_by;
create index concurrently connections_reauthorize_by
  on connections (environment_id, reauthorize_by, id)
  where deleted_at is null and needs_reauthorization_at is null and reauthorize_by is not null;
