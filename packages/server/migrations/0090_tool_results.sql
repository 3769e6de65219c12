-- compatible since: 0001
-- Results of tools that are too long for a model's context, for an hour: the model reads them piece by piece.
create table tool_results (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  connection_uuid uuid not null,
  -- Sealed JSON text.
  value bytea not null,
  created_at timestamptz not null
);
create index tool_results_of_connection on tool_results (environment_id, connection_uuid, created_at);
create index tool_results_age on tool_results (created_at);
