-- compatible since: 0001
-- Whether calls of agents that wait for a person, and what the person decides, are sent to the environment's endpoints:
-- on, since only toolsets with a policy have such calls, and one waits for 15 minutes only.
alter table webhook_settings add column on_agent_approval boolean not null default true;
