-- compatible since: 0001
-- What an attempt was signed with: the headers webhook-timestamp and webhook-signature. The release before notes neither.
alter table webhook_attempts add column signed_at bigint, add column signature text;
