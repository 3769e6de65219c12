-- compatible since: 0001
-- mode: concurrently
-- What an erasure reads: deleted connections of an end user.
drop index concurrently if exists connections_end_user;
create index concurrently connections_end_user on connections (environment_id, end_user_hash) where end_user_hash is not null;
