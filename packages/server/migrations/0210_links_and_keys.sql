-- compatible since: 0001
-- Who made a link, and the connection that it authorizes again. Tokens of such links are hashed for another purpose, so
-- that the release before does not find them: it would make another connection.
alter table connect_links
  add column created_by jsonb,
  add column reconnect_connection uuid,
  add column reconnect_connection_id text;

-- When nothing renews the credentials any more, as far as is known: the end user has to authorize again by then.
alter table connections add column reauthorize_by timestamptz;

-- Where the last call with a key came from, and the key that replaces it.
alter table api_keys
  add column last_used_from jsonb,
  add column replaced_by uuid;
