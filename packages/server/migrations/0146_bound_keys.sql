-- compatible since: 0001
-- A key for an agent may reach the connections of one end user alone: {endUserId, integrations?}.
alter table api_keys add column bound_to jsonb;
