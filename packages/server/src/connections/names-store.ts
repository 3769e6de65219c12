/**
 * The row of `connections` by its names, given in SQL. The id is a range, and the order that of ids, so that only the
 * index of ids fits: while the table has no statistics, Postgres takes any index of the environment for as short a way,
 * and reads all of its connections.
 */
export function connectionByNames(environment: string, integration: string, id: string): string {
  return `select * from connections
           where environment_id = ${environment} and integration_id = ${integration}
             and connection_id >= ${id} and connection_id <= ${id} and deleted_at is null
           order by connection_id limit 1`;
}
