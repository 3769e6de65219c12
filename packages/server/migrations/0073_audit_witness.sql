-- compatible since: 0001
-- How often keys have read the credentials of connections, by the minute. A row without a connection stands for reads
-- of more connections than were counted one by one.
create table credential_reads (
  account_id uuid not null,
  environment_id uuid not null,
  key_id uuid not null,
  connection_uuid uuid not null,
  minute timestamptz not null,
  reads bigint not null,
  primary key (account_id, minute, key_id, connection_uuid)
);
create index credential_reads_age on credential_reads (minute);
create index credential_reads_connection on credential_reads (account_id, connection_uuid, minute desc);

-- The end of the audit log's chain goes to receivers elsewhere.
alter table webhook_settings add column on_audit_seal boolean not null default false;
alter table audit_head
  add column announced_at timestamptz,
  add column announced_seal bigint not null default 0;
