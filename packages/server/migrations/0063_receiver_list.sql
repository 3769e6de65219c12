-- compatible since: 0001
-- mode: concurrently
-- Addresses that webhooks go to are listed.
drop index concurrently if exists webhook_receivers_environment;
create index concurrently webhook_receivers_environment on webhook_receivers (environment_id, id);
