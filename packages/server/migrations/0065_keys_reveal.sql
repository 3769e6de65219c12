-- compatible since: 0001
-- Signing keys and values of variables need a scope of their own from here on; keys that could read them keep that.
update api_keys set scopes = array_append(scopes, 'environment:secrets:reveal')
 where environment_id is not null and deleted_at is null
   and scopes && array['environment:webhooks:read', 'environment:webhooks:*',
                       'environment:variables:read', 'environment:variables:*']
   and not scopes && array['environment:*', 'environment:secrets:reveal', 'environment:secrets:*'];
