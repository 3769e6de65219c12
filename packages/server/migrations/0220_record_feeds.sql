-- compatible since: 0001
-- In what order readers of all models of an environment learn of their changes. Writers do not know it: readers note
-- what has been committed since, so that a number here is only ever followed by higher ones.
create table record_feeds (
  environment_id uuid primary key references environments (id) on delete cascade,
  -- Cursors name it: one of another environment is refused.
  epoch bigint not null,
  position bigint not null default 0,
  -- Readers that have stopped before it have to start again: they would not learn of models that went.
  oldest_position bigint not null default 0
);

-- How far the changes of each model are noted.
create table record_feed_models (
  environment_id uuid not null references record_feeds (environment_id) on delete cascade,
  model_id bigint not null,
  connection_uuid uuid not null,
  model text not null,
  sequence bigint not null,
  -- How often all of its records were removed, and of how many times readers learn.
  clears bigint not null default 0,
  noted_clears bigint not null default 0,
  primary key (environment_id, model_id)
);

-- Changes of a model with order numbers after the one and up to the other; without these, its records were removed.
create table record_feed_entries (
  environment_id uuid not null references record_feeds (environment_id) on delete cascade,
  position bigint not null,
  model_id bigint not null,
  connection_uuid uuid not null,
  model text not null,
  after_sequence bigint,
  until_sequence bigint,
  noted_at timestamptz not null,
  primary key (environment_id, position)
);
