-- compatible since: 0001
-- The checkpoint of the sync's webhook handler, as the first run of the canary found it.
alter table canary_syncs add column webhook_checkpoint jsonb;
