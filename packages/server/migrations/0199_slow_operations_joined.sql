-- compatible since: 0001
-- Takes up what 0198 has built in each partition; builds it in those that were made since, which are small.
lock table operations in access exclusive mode;
create index operations_slow on operations (environment_id,
  width_bucket(ended_at - coalesce(started_at, created_at), '{1 s,4 s,16 s,64 s,256 s,1024 s,4096 s,16384 s}'::interval[]),
  created_at desc, id desc) where ended_at - coalesce(started_at, created_at) >= interval '1 s';
create index operations_open on operations (created_at) where state in ('waiting', 'running');
