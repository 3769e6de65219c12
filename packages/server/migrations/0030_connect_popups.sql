-- compatible since: 0001
-- How attempts ended that a browser client awaits on a socket: read once by the process that holds the socket.
create table connect_popups (
  client_id text primary key,
  -- Null until the attempt has ended.
  message jsonb,
  created_at timestamptz not null
);
create index connect_popups_created on connect_popups (created_at);
