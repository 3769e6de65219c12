-- compatible since: 0001
-- mode: concurrently
-- Connect sessions are listed, newest first.
drop index concurrently if exists connect_sessions_environment;
create index concurrently connect_sessions_environment on connect_sessions (environment_id, created_at desc, id desc);
