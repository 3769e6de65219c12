-- compatible since: 0001
-- The operation that showed a problem when it was opened. Null for those that were open before, or that an earlier
-- release opens.
alter table problems add column first_operation_id uuid;
