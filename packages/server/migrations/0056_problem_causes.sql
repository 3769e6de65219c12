-- compatible since: 0001
-- mode: concurrently
-- What the sweep for problems reads: of all models, the few whose deletes were refused.
drop index concurrently if exists record_models_refused;
create index concurrently record_models_refused on record_models (environment_id) where refused_deletes is not null;
