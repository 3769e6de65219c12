-- compatible since: 0001
-- mode: concurrently
-- Withdrawals that are due are found by their integration: past one that is busy all that waits for it was read.
drop index concurrently if exists revocation_items_integration_due;
create index concurrently revocation_items_integration_due
  on revocation_items (integration_id, due_at) where due_at is not null;
