-- compatible since: 0001
-- Whose account a connection is at its provider: {id, label, email, workspace}, as the provider says. Null where it has
-- not been asked, or has not said.
alter table connections add column account jsonb;
