-- compatible since: 0001
-- Batches of counts that were written, noted with the counts: one whose answer was lost is not added again.
create table written_batches (
  id uuid primary key,
  at timestamptz not null default now()
);
create index written_batches_age on written_batches (at);
