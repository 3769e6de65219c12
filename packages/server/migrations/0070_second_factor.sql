-- compatible since: 0001
-- Codes of authenticator apps, needed after a password, and codes for who has lost the app.

create table totp_secrets (
  user_id uuid primary key references users (id) on delete cascade,
  secret bytea not null,
  created_at timestamptz not null,
  -- Null until a code of it was sent; it counts from then on.
  confirmed_at timestamptz,
  -- The last period of 30 s whose code was taken: that of it, and those before, are taken no more.
  last_step bigint not null default 0
);

create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- Whether a session was begun by more than a password, or more was shown since.
alter table user_sessions add column has_second_factor boolean not null default false;
update user_sessions set has_second_factor = true where via in ('passkey', 'sso');

-- A link of the operator's, whose holder needs no code and starts without the app.
alter table one_time_links add column drops_second_factor boolean not null default false;

-- Roles whose people need more than a password.
alter table accounts add column second_factor_roles text[] not null default '{}';
create trigger announce_change after update or delete on accounts
  for each row execute function announce_change('id', '');
