-- compatible since: 0001
lock table environments, functions in share row exclusive mode;
lock table async_actions in access exclusive mode;

-- A function is never deleted but with its environment, and each day that is made would lock the functions.
alter table async_actions drop constraint async_actions_function_id_fkey;
-- What has ended goes with its day. Without it the end of an action changes no index.
drop index async_actions_ended;

select partition_by_day('async_actions', 'created_at');
