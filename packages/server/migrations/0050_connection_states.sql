-- compatible since: 0001
-- What lists of connections are filtered by. A process of the previous release writes neither: a connection that it
-- completes counts as pending until its credentials are renewed, and a day that is too early is only looked at in vain.
alter table connections
  -- Its credentials are not usable before a webhook of the provider has come.
  add column is_pending boolean not null default false,
  -- The day (UTC) of last_fetched_at, at first that of its creation: changes at most once a day, so that an index of it
  -- costs nothing when credentials are read. Never later than the day that it stands for.
  add column last_used_on date not null default '1970-01-01';
