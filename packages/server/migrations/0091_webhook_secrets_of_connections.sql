-- compatible since: 0001
-- What a provider signs webhooks of this connection with, sealed. The metadata, where it stood, is read by every key.
alter table connections add column webhook_secret bytea;
