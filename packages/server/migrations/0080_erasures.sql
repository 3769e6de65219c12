-- compatible since: 0001
-- Erasing what belongs to one end user.

-- Of a deleted connection: keyed hash of the end user whom its tags named, by which an erasure still finds it.
alter table connections add column end_user_hash bytea;

create table erasures (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  -- Keyed hash of the end user's id, which is not stored.
  subject_hash bytea not null,
  -- Sealed: whom to erase, and the texts that name them; null once it is done.
  subject bytea,
  -- How many steps are done.
  step integer not null default 0,
  -- How many rows of each kind have gone.
  counts jsonb not null default '{}',
  created_at timestamptz not null,
  ended_at timestamptz
);
create unique index erasures_running on erasures (environment_id, subject_hash) where ended_at is null;
create index erasures_environment on erasures (environment_id, created_at desc, id desc);
