-- compatible since: 0001
-- Clients that connect by URL alone: who proves the end user, what the authorization server of an environment remembers,
-- and the browsers that are on their way.
create table agent_sign_ins (
  environment_id uuid primary key references environments (id) on delete cascade,
  verifier_url text,
  issuer text,
  client_id text,
  -- Sealed.
  client_secret bytea,
  end_user_claim text not null default 'sub',
  registration boolean not null default false,
  updated_at timestamptz not null,
  check ((verifier_url is null) <> (issuer is null)),
  check ((issuer is null) = (client_id is null))
);

-- Codes, tokens, grants and registered clients. Ids are keyed hashes: a copy of the table opens nothing.
create table agent_oauth_items (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  model text not null,
  -- Items that end together.
  grant_id uuid,
  uid uuid,
  end_user_id text,
  -- Sealed.
  payload bytea not null,
  consumed_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz
);
create index agent_oauth_items_grant on agent_oauth_items (grant_id) where grant_id is not null;
create index agent_oauth_items_uid on agent_oauth_items (uid) where uid is not null;
create index agent_oauth_items_end_user on agent_oauth_items (environment_id, end_user_id);
create index agent_oauth_items_expiry on agent_oauth_items (expires_at);
create index agent_oauth_items_model on agent_oauth_items (environment_id, model, created_at);

-- A browser that has to prove for whom it speaks, to let a client in or to connect an account.
create table agent_authorizations (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  purpose text not null check (purpose in ('client', 'connect')),
  -- Of a client: the authorization server's name of the request.
  interaction text unique,
  -- To connect: for which session, and what.
  session_id uuid references agent_sessions (id) on delete cascade,
  integration text,
  connection_id text,
  -- Whom it has to be, where that is known before.
  wanted_end_user_id text,
  -- Hash of the cookie of the browser that began it.
  browser_hash text,
  end_user_id text,
  -- Hash of what the proven browser brings back.
  ticket_hash bytea,
  state text not null default 'open' check (state in ('open', 'proven', 'done', 'refused')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index agent_authorizations_expiry on agent_authorizations (expires_at);
create index agent_authorizations_session on agent_authorizations (session_id) where session_id is not null;
create index agent_authorizations_environment on agent_authorizations (environment_id);

-- What an end user has allowed a client, so that they are asked again only for more.
create table agent_consents (
  environment_id uuid not null references environments (id) on delete cascade,
  toolset_id uuid not null references agent_toolsets (id) on delete cascade,
  end_user_id text not null,
  client_id text not null,
  redirect_host text not null,
  toolset_version integer not null,
  effects jsonb not null,
  at timestamptz not null,
  primary key (toolset_id, end_user_id, client_id, redirect_host)
);
create index agent_consents_end_user on agent_consents (environment_id, end_user_id);

-- Sessions that a client got by itself; null for those that a backend began.
alter table agent_sessions add column grant_id uuid;
alter table agent_sessions add column client_id text;
create unique index agent_sessions_grant on agent_sessions (grant_id) where grant_id is not null;
