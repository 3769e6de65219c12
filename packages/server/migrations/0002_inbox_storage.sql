-- compatible since: 0001
-- What an environment's inbox keeps is counted, and requests that were handled give way to new ones.

-- Null: the request was deleted to make room; the row still tells of the webhook.
alter table inbound_webhooks alter column request drop not null;

-- Bytes that were added (or, below zero, deleted); their sum is what is kept. Rows are only added, so that
-- writers never wait for each other, and folded into one by whoever reads the sum.
create table inbox_usage (
  id bigint primary key generated always as identity,
  environment_id uuid not null references environments (id) on delete cascade,
  bytes bigint not null
);
create index inbox_usage_environment on inbox_usage (environment_id);

insert into inbox_usage (environment_id, bytes)
  select environment_id, sum(octet_length(request)) from inbound_webhooks group by environment_id;

-- By triggers: a process of the previous release counts too while it still runs.
create function count_inbox_usage() returns trigger language plpgsql as $$
begin
  -- What goes with its environment needs no count.
  insert into inbox_usage (environment_id, bytes)
    select c.environment_id, case when tg_op = 'DELETE' then -sum(octet_length(c.request)) else sum(octet_length(c.request)) end
      from changed c
     where c.request is not null and exists (select from environments e where e.id = c.environment_id)
     group by c.environment_id;
  return null;
end
$$;
create trigger count_inbox_usage_added after insert on inbound_webhooks
  referencing new table as changed for each statement execute function count_inbox_usage();
create trigger count_inbox_usage_deleted after delete on inbound_webhooks
  referencing old table as changed for each statement execute function count_inbox_usage();
