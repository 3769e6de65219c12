-- compatible since: 0001
-- Since when an integration is being deleted in the background, with its connections.
alter table integrations add column deleting_since timestamptz;
