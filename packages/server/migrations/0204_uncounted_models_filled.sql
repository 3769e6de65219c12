-- compatible since: 0001
-- Models that were there before.
insert into uncounted_record_models (id)
select id from record_models where bytes_sequence is distinct from sequence
on conflict do nothing;
