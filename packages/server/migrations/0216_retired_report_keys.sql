-- compatible since: 0001
-- Public keys whose reports stay verifiable after a rotation. A process of the release before signs with the key that
-- it remembers until it is restarted: rotate once all processes run this release.
create table retired_report_keys (
  environment_id uuid not null references environments (id) on delete cascade,
  kid text not null,
  public_key jsonb not null,
  created_at timestamptz not null,
  retired_at timestamptz not null,
  primary key (environment_id, kid)
);

create trigger announce_change after update or delete on report_keys
  for each row execute function announce_change('environment_id', '');
