-- compatible since: 0001
-- Names that environments had before, so that addresses with them still lead there. The release before writes none.
create table environment_old_names (
  account_id uuid not null references accounts (id) on delete cascade,
  name text not null,
  environment_id uuid not null references environments (id) on delete cascade,
  renamed_at timestamptz not null,
  primary key (account_id, name)
);
create index environment_old_names_environment on environment_old_names (environment_id);
