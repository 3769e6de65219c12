// Owns logins of the server's own database with which environments read their records: a role, and a schema with a view
// for each model. `login/` is the role, its password and its rights, `views/` follows the models.
// Tables: record_sql_access.
export { dropSqlAccessAtLast, endSqlAccessOfEnvironment } from "./end-access.ts";
export { sqlAccess } from "./slice.ts";
