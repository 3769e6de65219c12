-- compatible since: 0001
-- Lists of tools of other MCP servers are read again by time, also where nobody uses them. The release before does not
-- look at these columns; what it stores is due when this one looks.
alter table agent_upstream_lists
  add column refresh_at timestamptz not null default now(),
  add column failures int not null default 0;
create index agent_upstream_lists_due on agent_upstream_lists (refresh_at);
