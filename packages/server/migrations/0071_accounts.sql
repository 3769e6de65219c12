-- compatible since: 0001
-- Several accounts in one installation, each with a limit of its own.
alter table accounts add column rate_limit_per_minute integer check (rate_limit_per_minute > 0);
create index accounts_age on accounts (created_at, id);
