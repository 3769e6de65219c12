-- compatible since: 0001
-- mode: concurrently
-- Models with quarantined records, newest first: for the list, and for the sweep of problems.
drop index concurrently if exists record_models_quarantined;
create index concurrently record_models_quarantined on record_models (environment_id, id desc) where quarantined > 0;
