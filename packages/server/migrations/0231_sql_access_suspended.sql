-- compatible since: 0001
-- Since when a login of an environment is suspended. Null where it may sign in.
alter table record_sql_access add column suspended_at timestamptz;
create index record_sql_access_suspended on record_sql_access (environment_id) where suspended_at is not null and ended_at is null;
