-- compatible since: 0001
-- What the delete guard refused: when, and the ids of some of the records. The release before leaves both as they are.
alter table record_models
  add column refused_at timestamptz,
  add column refused_sample jsonb;
