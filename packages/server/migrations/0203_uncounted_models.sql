-- compatible since: 0001
-- Models that an earlier release has written to, whose bytes are to be counted: to find them, all models were read each day.
create table uncounted_record_models (
  id bigint primary key
);

-- Also where the row is there already: who counts waits for this write, and sees it.
create function note_uncounted_model() returns trigger language plpgsql as $$
begin
  insert into uncounted_record_models (id) values (new.id) on conflict (id) do update set id = excluded.id;
  return null;
end
$$;

-- By a trigger: this release keeps bytes with each write. Where records are distributed no earlier release runs.
do $$
begin
  if (select relkind from pg_class where oid = 'records'::regclass) = 'p' then
    create trigger note_uncounted_model after insert or update of sequence, bytes_sequence on record_models
      for each row when (new.bytes_sequence is distinct from new.sequence) execute function note_uncounted_model();
  end if;
end
$$;
