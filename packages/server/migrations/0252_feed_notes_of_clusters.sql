-- compatible since: 0001
-- Where models are distributed the server leaves a note for each change of a model, as triggers do elsewhere: readers of a
-- feed compared all models each time they looked.
do $$
begin
  if (select relkind from pg_class where oid = 'records'::regclass) <> 'p' then
    -- Of tables of the first server, which may have triggers.
    drop trigger if exists note_cleared_model on record_feed_models;
    create trigger note_cleared_model after insert or update of clears on record_feed_models
      for each row when (new.clears > new.noted_clears) execute function note_cleared_model();
    drop trigger if exists drop_feed_notes on record_feeds;
    create trigger drop_feed_notes after delete on record_feeds
      for each row execute function drop_feed_notes();
    -- Processes of the release before leave none: all models are compared until none of them is left.
    update record_feeds set compared_until = now() + interval '1 day';
  end if;
end
$$;
