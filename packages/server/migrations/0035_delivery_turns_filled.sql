-- compatible since: 0001
-- mode: batches
-- What waited and what had failed before. Locked, so that none is written that has changed meanwhile.
insert into delivery_turns (receiver_id, created_at, delivery_id, environment_id, next_attempt_at)
  select d.receiver_id, d.created_at, d.id, d.environment_id, d.next_attempt_at
    from webhook_deliveries d
   where d.state = 'waiting' and d.next_attempt_at is not null
     and not exists (select from delivery_turns t
                      where t.receiver_id = d.receiver_id and t.created_at = d.created_at and t.delivery_id = d.id)
   limit 5000 for update of d
  on conflict do nothing;

insert into failed_deliveries (environment_id, created_at, delivery_id)
  select d.environment_id, d.created_at, d.id
    from webhook_deliveries d
   where d.state = 'failed'
     and not exists (select from failed_deliveries f
                      where f.environment_id = d.environment_id and f.created_at = d.created_at and f.delivery_id = d.id)
   limit 5000 for update of d
  on conflict do nothing;

-- Indexes of a partitioned table cannot be dropped concurrently: tried until nobody uses it, so that others do not queue
-- up behind; a semicolon at the end of a line would end the statement. The release before looks for what is due without
-- them, which costs it more.
do $$ begin for attempt in 1..60 loop
  begin perform set_config('lock_timeout', '2s', true)
  ; lock table webhook_deliveries in access exclusive mode
  ; drop index webhook_deliveries_due, webhook_deliveries_waiting, webhook_deliveries_failed
  ; return
  ; exception when lock_not_available then perform pg_sleep(1)
  ; end
  ; end loop
  ; raise lock_not_available using message = 'webhook_deliveries was in use for a minute; migrate again'
  ; end $$;
