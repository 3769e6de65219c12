-- compatible since: 0001
-- A code that reaches the end user apart from the link, and how many wrong ones were entered.
alter table connect_links
  add column code_hash bytea,
  add column wrong_codes integer not null default 0;
