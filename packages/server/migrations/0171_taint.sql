-- compatible since: 0001
-- What a session of an agent has read: something of an account, and text that others may have written. The release
-- before notes neither, and does not look at it.
alter table agent_sessions add column private_read boolean not null default false;
alter table agent_sessions add column untrusted_seen boolean not null default false;

-- By which a string in a later call is found again in what the agent has read of others' texts, for an hour.
create table agent_texts_seen (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  session_id uuid not null references agent_sessions (id) on delete cascade,
  tool text not null,
  -- A Bloom filter over parts of the text, sealed.
  filter bytea not null,
  created_at timestamptz not null
);
create index agent_texts_seen_session on agent_texts_seen (session_id, created_at);
create index agent_texts_seen_age on agent_texts_seen (created_at);
create index agent_texts_seen_environment on agent_texts_seen (environment_id);
