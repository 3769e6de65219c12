-- compatible since: 0001
-- Which models have changed since readers of a feed looked: they compared all models of the environment each time.

-- A note for each change of a model, where the environment has a feed. Notes are only added and taken: one that stood for
-- several would be taken before the last of their transactions is committed.
create table record_feed_notes (
  environment_id uuid not null,
  id bigint generated always as identity,
  model_id bigint not null,
  primary key (environment_id, id)
);

-- Who began to write before the feed was there has left no note: until then all models are compared.
alter table record_feeds add column compared_until timestamptz not null default now() + interval '10 minutes';

create function note_feed_change() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  changed record_models%rowtype;
begin
  changed := case when tg_op = 'DELETE' then old else new end;
  insert into record_feed_notes (environment_id, model_id)
    select environment_id, changed.id from record_feeds where environment_id = changed.environment_id;
  return null;
end
$$;

create function note_cleared_model() returns trigger language plpgsql as $$
begin
  insert into record_feed_notes (environment_id, model_id) values (new.environment_id, new.model_id);
  return null;
end
$$;

create function drop_feed_notes() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from record_feed_notes where environment_id = old.environment_id;
  return null;
end
$$;

-- Where models are distributed no trigger may be, and all models are compared.
do $$
begin
  if (select relkind from pg_class where oid = 'records'::regclass) = 'p' then
    create trigger note_feed_change_added after insert on record_models
      for each row when (new.sequence > 0) execute function note_feed_change();
    create trigger note_feed_change after update of sequence on record_models
      for each row when (new.sequence <> old.sequence) execute function note_feed_change();
    create trigger note_feed_change_removed after delete on record_models
      for each row execute function note_feed_change();
    create trigger note_cleared_model after insert or update of clears on record_feed_models
      for each row when (new.clears > new.noted_clears) execute function note_cleared_model();
    create trigger drop_feed_notes after delete on record_feeds
      for each row execute function drop_feed_notes();
  end if;
end
$$;
