-- compatible since: 0001
-- Bytes that each environment has logged in a day, of all processes: past SVC_LOG_DAY_LIMIT rows are left out.
create table log_usage (
  environment_id uuid not null references environments (id) on delete cascade,
  day date not null,
  message_bytes bigint not null,
  operation_bytes bigint not null,
  primary key (environment_id, day)
);
create index log_usage_day on log_usage (day);
