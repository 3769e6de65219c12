-- compatible since: 0001
-- mode: concurrently
-- Schedules that were deleted are removed daily: no index had them, so all schedules were read.
drop index concurrently if exists syncs_deleted;
create index concurrently syncs_deleted on syncs (deleted_at) where deleted_at is not null;
