-- compatible since: 0001
-- Takes up what 0195 has built in each partition; builds it in those that were made since, which are small.
lock table operations in access exclusive mode;
create index operations_type on operations (environment_id, type, created_at desc, id desc);
create index operations_function
  on operations (environment_id, (function ->> 'name'), created_at desc, id desc) where function is not null;
create index operations_connection_unusual
  on operations (environment_id, (connection ->> 'name'), created_at desc, id desc) where state <> 'success';
create index operations_integration_unusual
  on operations (environment_id, (integration ->> 'name'), created_at desc, id desc) where state <> 'success';
