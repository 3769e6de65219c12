-- compatible since: 0001
-- Whether a tool of another MCP server that has changed is sent to the environment's endpoints: on, since such a tool
-- is gone for agents until somebody accepts it.
alter table webhook_settings add column on_agent_tool_changed boolean not null default true;
