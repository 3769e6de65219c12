-- compatible since: 0001
-- How a user has set the tables of the dashboard; null until they set something.

alter table users add column preferences jsonb;
