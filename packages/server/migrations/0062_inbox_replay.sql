-- compatible since: 0001
-- A webhook that an operator has handled again: its events are passed on although they were before. The release
-- before takes them for duplicates.
alter table inbound_webhooks add column is_replay boolean not null default false;
