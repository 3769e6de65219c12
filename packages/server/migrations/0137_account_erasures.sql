-- compatible since: 0001
-- Erasing an account with all that it has. The row stays, as the receipt: ids and counts, nobody's name.
create table account_erasures (
  id uuid primary key,
  account_id uuid not null,
  -- Its environments, whose logs are found by them once they are gone.
  environment_ids uuid[] not null default '{}',
  -- How many steps are done.
  step integer not null default 0,
  counts jsonb not null default '{}',
  created_at timestamptz not null,
  ended_at timestamptz
);
create unique index account_erasures_account on account_erasures (account_id);
create index account_erasures_list on account_erasures (created_at desc, id desc);
