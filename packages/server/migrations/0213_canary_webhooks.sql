-- compatible since: 0001
-- Whether the end of a canary is sent to the environment's endpoints: on, since it changes what runs without anybody.
alter table webhook_settings add column on_canary boolean not null default true;
