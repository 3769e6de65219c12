-- compatible since: 0001
-- Actions over many connections or syncs: what each job is about, and how far it is.
create table bulk_jobs (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  action text not null,
  tags jsonb,
  -- On whose behalf: what the operations of the job name.
  actor jsonb not null,
  matched integer not null,
  created_at timestamptz not null,
  stopped_at timestamptz,
  ended_at timestamptz
);
create index bulk_jobs_environment on bulk_jobs (environment_id, created_at desc, id desc);
create index bulk_jobs_open on bulk_jobs (created_at) where ended_at is null;

create table bulk_items (
  job_id uuid not null references bulk_jobs (id) on delete cascade,
  position integer not null,
  -- A connection, or a sync.
  target uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  error jsonb,
  primary key (job_id, position)
);
create index bulk_items_failed on bulk_items (job_id, position) where state = 'failed';
create index bulk_items_waiting on bulk_items (job_id, position) where state = 'waiting';
