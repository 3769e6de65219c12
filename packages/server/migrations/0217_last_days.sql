-- compatible since: 0001
-- mode: batches
-- Tokens that came before without a refresh token: nothing renews them. Four providers renew an access token by itself.
update connections set reauthorize_by = credentials_expire_at
 where id in (
   select c.id from connections c join integrations i on i.id = c.integration_id
    where c.deleted_at is null and c.needs_reauthorization_at is null and c.reauthorize_by is null
      and c.credentials_expire_at is not null and c.next_refresh_at is null and c.frozen_by is null
      and c.read_through is null and not c.is_pending
      and c.auth_mode in ('OAUTH2', 'MCP_OAUTH2', 'MCP_OAUTH2_GENERIC')
      and i.provider not in ('facebook', 'instagram', 'meta-marketing-api', 'threads')
    limit 5000);
-- Calls with a connection are uses of it, too.
update connections c set last_used_on = used.day
  from (
    select u.connection_uuid, max(u.day) as day
      from connection_uses u join connections own on own.uuid = u.connection_uuid
     where own.deleted_at is null and u.day > own.last_used_on
     group by u.connection_uuid limit 5000) used
 where c.uuid = used.connection_uuid;
