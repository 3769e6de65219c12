/** Group of all logins with which environments read views; the operator's rules for connections name it. */
export const SQL_READERS = "jackfield_sql_readers";

/**
 * Takes the right to sign in from logins of environments that hold an advisory lock, or wait for one, and ends these
 * sessions: any login of a database can take any such lock, and the server's work waits for some. Their views need none.
 */
export const SUSPEND_LOCK_HOLDERS = `
  do $$
  declare holder record;
  begin
    for holder in
      select distinct a.pid, a.usename from pg_locks l join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'advisory' and a.usename ~ '^jackfield_sql_[0-9a-f]{16}$'
         and l.database = (select oid from pg_database where datname = current_database())
    loop
      execute format('alter role %I with nologin', holder.usename);
      perform pg_terminate_backend(holder.pid);
    end loop;
  exception
    -- Of another installation of the cluster, whose server sees to it; or dropped meanwhile.
    when insufficient_privilege or undefined_object then null;
  end $$`;
