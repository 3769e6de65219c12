-- compatible since: 0001
-- mode: concurrently
-- The models of one name of an environment, newest first. The last condition is true of every row: only who lists says so.
drop index concurrently if exists record_models_model;
create index concurrently record_models_model on record_models (environment_id, model, id desc) where id > 0;
