-- compatible since: 0001
-- Attempts have the environment of their delivery, by which both can be distributed (docs/scale.md).
alter table webhook_attempts add column environment_id uuid;

-- By a trigger: the release before does not write the column. Ours does, so that it is never called.
create function fill_environment_of_attempt() returns trigger language plpgsql as $$
begin
  new.environment_id := (
    select d.environment_id from webhook_deliveries d
     where d.id = new.delivery_id
       and d.created_at >= made_from(new.delivery_id) and d.created_at < made_until(new.delivery_id)
     limit 1);
  return new;
end
$$;
create trigger fill_environment before insert on webhook_attempts
  for each row when (new.environment_id is null) execute function fill_environment_of_attempt();
