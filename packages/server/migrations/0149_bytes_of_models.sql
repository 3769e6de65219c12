-- compatible since: 0001
-- Bytes of what a model's records hold, as of `bytes_sequence` in the order of changes. The release before moves `sequence`
-- alone: where the two differ, the bytes are not known until they are counted again.
alter table record_models add column bytes bigint, add column bytes_sequence bigint;
