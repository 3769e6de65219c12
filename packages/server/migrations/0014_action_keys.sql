-- compatible since: 0001
-- mode: concurrently
alter table async_actions validate constraint async_actions_bound;
drop index concurrently if exists async_actions_day_key;
create unique index concurrently async_actions_day_key on async_actions (id, created_at);
