-- compatible since: 0001
-- What a dry run has printed so far, sealed; it goes when the run ends and its outcome has all of it.
alter table function_jobs add column progress bytea;
