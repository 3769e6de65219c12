-- compatible since: 0001
-- Records that did not match their model's schema and were not saved. The release before quarantines none, and what it
-- saves of them stays listed until this release saves or deletes it.
alter table record_models
  add column quarantined bigint not null default 0,
  add column quarantined_since timestamptz;

-- Why, with a number within the model; 0 sums up what is beyond the most that are listed.
create table record_quarantine_reasons (
  model_id bigint not null,
  reason smallint not null,
  pointer text not null,
  code text not null,
  expected text not null,
  received text not null,
  count bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (model_id, reason)
);

create table quarantined_records (
  model_id bigint not null,
  reason smallint not null,
  record_id text not null,
  primary key (model_id, record_id)
);

-- Some of them, a few for each reason.
create table record_quarantine_samples (
  model_id bigint not null,
  reason smallint not null,
  noted_at timestamptz not null,
  record_id text not null,
  payload bytea not null,
  primary key (model_id, record_id)
);
