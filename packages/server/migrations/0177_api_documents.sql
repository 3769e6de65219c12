-- compatible since: 0001
-- OpenAPI documents of integrations, whose operations are tools of agents. The release before does not look at them.
create table agent_api_documents (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  integration_id bigint not null unique references integrations (id) on delete cascade,
  title text not null,
  version text not null,
  -- Null where the text was sent.
  source_url text,
  sha256 bytea not null,
  bytes integer not null,
  -- Which operations were chosen, and what was said of them.
  options jsonb not null,
  operations integer not null,
  excluded integer not null,
  -- Operations that are no tools, each with its reason.
  refused jsonb not null,
  created_at timestamptz not null
);
create index agent_api_documents_environment on agent_api_documents (environment_id);
create trigger announce_change after insert or update or delete on agent_api_documents
  for each row execute function announce_change('environment_id', '');

create table agent_api_operations (
  document_id uuid not null references agent_api_documents (id) on delete cascade,
  name text not null,
  environment_id uuid not null,
  place integer not null,
  operation_id text,
  method text not null,
  path text not null,
  tags jsonb not null,
  effect text not null check (effect in ('read', 'write', 'destructive')),
  is_effect_given boolean not null,
  title text not null,
  summary text not null,
  signature text not null,
  bytes integer not null,
  -- Not jsonb: the order of properties is the author's.
  definition json not null,
  digest bytea not null,
  primary key (document_id, name)
);
create index agent_api_operations_environment on agent_api_operations (environment_id);

-- What is remembered of an environment's tools includes that an integration is not there.
create trigger announce_new after insert on integrations
  for each row execute function announce_change('environment_id', '');
