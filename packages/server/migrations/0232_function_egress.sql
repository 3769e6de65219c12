-- compatible since: 0001
-- What functions sent to each host, by day and connection; the empty host sums up those beyond the first.
create table function_egress (
  environment_id uuid not null references environments (id) on delete cascade,
  function_id bigint not null,
  day date not null,
  connection_uuid uuid not null,
  host text not null,
  calls bigint not null,
  refused bigint not null,
  bytes_sent bigint not null,
  bytes_received bigint not null,
  primary key (environment_id, function_id, day, connection_uuid, host)
);

-- Old days go, and what was counted for an end user who is erased.
create index function_egress_day on function_egress (day);
create index function_egress_connection on function_egress (environment_id, connection_uuid);
