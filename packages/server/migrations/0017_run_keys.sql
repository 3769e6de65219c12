-- compatible since: 0001
-- mode: concurrently
alter table runs validate constraint runs_bound;
drop index concurrently if exists runs_day_key;
create unique index concurrently runs_day_key on runs (id, created_at);
