-- compatible since: 0001
-- Takes up what 0174 has built in each partition; builds it in those that were made since, which are small.
lock table operations in access exclusive mode;
create index operations_integration
  on operations (environment_id, (integration ->> 'name'), created_at desc, id desc);
