-- compatible since: 0001
-- mode: concurrently
-- Orders in which the syncs of an environment are listed. None of these columns changes with a run that succeeds, so that
-- its changes stay within a page. Each has a condition that only who lists says: while the table has no statistics,
-- Postgres would take the index for other questions about the environment's syncs.
drop index concurrently if exists syncs_created;
create index concurrently syncs_created
  on syncs (environment_id, created_at desc, id desc) where deleted_at is null and created_at > '-infinity';
drop index concurrently if exists syncs_function_created;
create index concurrently syncs_function_created
  on syncs (function_id, created_at desc, id desc) where deleted_at is null and created_at > '-infinity';
drop index concurrently if exists syncs_paused;
create index concurrently syncs_paused
  on syncs (environment_id, created_at desc, id desc) include (function_id) where deleted_at is null and paused;
drop index concurrently if exists syncs_failing;
create index concurrently syncs_failing
  on syncs (environment_id, created_at desc, id desc) include (function_id)
  where deleted_at is null and not paused and consecutive_failures > 0;
drop index concurrently if exists syncs_fine;
create index concurrently syncs_fine
  on syncs (environment_id, created_at desc, id desc) include (function_id)
  where deleted_at is null and not paused and consecutive_failures = 0;
