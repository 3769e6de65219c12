-- compatible since: 0001
-- What is wrong in an environment, one row for each cause; opened and resolved by a sweep.
create table problems (
  id uuid primary key default gen_random_uuid(),
  environment_id uuid not null references environments (id) on delete cascade,
  -- What makes it the same problem when it comes again.
  fingerprint text not null,
  kind text not null,
  integration text,
  function text,
  receiver text,
  since timestamptz not null,
  last_at timestamptz not null,
  count int not null,
  sample jsonb not null,
  resolved_at timestamptz,
  mute_until timestamptz,
  note text
);
create unique index problems_fingerprint on problems (environment_id, fingerprint);
create index problems_list on problems (environment_id, since desc, id desc);
create index problems_open on problems (environment_id, since desc, id desc) where resolved_at is null;
create index problems_resolved on problems (resolved_at) where resolved_at is not null;
