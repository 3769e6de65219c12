-- compatible since: 0001
-- For what a client of an end user has asked: it may ask for more, but not for what was refused.
alter table agent_sessions add column asked_effects jsonb;
