-- compatible since: 0001
-- Files of the dashboard, for pages of a build that the asked process does not have. The release before keeps none.
create table dashboard_files (
  name text primary key,
  -- Brotli (RFC 7932).
  content bytea not null,
  mac bytea not null,
  -- Null while the build that has started last has the file.
  kept_until timestamptz
);
alter table dashboard_files alter column content set storage external;
