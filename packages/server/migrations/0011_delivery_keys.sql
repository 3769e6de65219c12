-- compatible since: 0001
-- mode: concurrently
-- The key of a partitioned table has the time in it; what the table before has already, its partition needs not build.
alter table webhook_deliveries validate constraint webhook_deliveries_bound;
alter table webhook_attempts validate constraint webhook_attempts_bound;
drop index concurrently if exists webhook_deliveries_day_key;
create unique index concurrently webhook_deliveries_day_key on webhook_deliveries (id, created_at);
drop index concurrently if exists webhook_attempts_day_key;
create unique index concurrently webhook_attempts_day_key on webhook_attempts (id, created_at);
