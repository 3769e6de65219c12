-- compatible since: 0001
-- Takes up what 0032 has built in each partition; builds it in those that were made since, which are small. The
-- release before finds what was modified since a time without it, by reading more.
lock table records in access exclusive mode;
create index records_order on records (model_id, sequence) where sequence > 0;
drop index records_sequence;
