-- compatible since: 0001
-- mode: concurrently
-- Rows of what was deleted long ago are removed. Each removal looks for what still names the row: schedules that were
-- deleted are among these, which no index had.
drop index concurrently if exists syncs_connection;
create index concurrently syncs_connection on syncs (connection_uuid);
drop index concurrently if exists syncs_every_function;
create index concurrently syncs_every_function on syncs (function_id);
drop index concurrently if exists connections_deleted;
create index concurrently connections_deleted on connections (environment_id, deleted_at) where deleted_at is not null;
drop index concurrently if exists functions_deleted;
create index concurrently functions_deleted on functions (environment_id, deleted_at) where deleted_at is not null;
drop index concurrently if exists integrations_deleted;
create index concurrently integrations_deleted on integrations (environment_id, deleted_at) where deleted_at is not null;
drop index concurrently if exists api_keys_deleted;
create index concurrently api_keys_deleted on api_keys (environment_id, deleted_at) where deleted_at is not null;
-- The new one has all that this had.
drop index concurrently if exists syncs_function;
