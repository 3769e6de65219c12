-- compatible since: 0001
lock table environments, functions in share row exclusive mode;
lock table runs in access exclusive mode;

-- A function is never deleted but with its environment, and each day that is made would lock the functions.
alter table runs drop constraint runs_function_id_fkey;

select partition_by_day('runs', 'created_at');
