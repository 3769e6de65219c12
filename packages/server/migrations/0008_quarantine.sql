-- compatible since: 0001
-- A row: nothing leaves this installation by itself, since another copy of it may be at work.
create table quarantine (
  only_row boolean primary key default true check (only_row),
  since timestamptz not null
);
