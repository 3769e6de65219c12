import type { NewSqlAccess, SqlAccess } from "../api-types/index.ts";
import { Resource } from "../methods/resource.ts";
import type { ChangeOptions } from "../requests.ts";

/** A read-only login of the database, with a view for each model of the environment's records. */
export class SqlAccesses extends Resource {
  /** The only answer with the password, next to that of `rotate`. */
  async create(options: ChangeOptions = {}): Promise<{ data: NewSqlAccess }> {
    return await this.http.json({ ...options, method: "POST", path: "/records/sql-access" });
  }

  /** Null when there is none. */
  async get(): Promise<{ data: SqlAccess | null }> {
    return await this.http.json({ method: "GET", path: "/records/sql-access" });
  }

  /** Makes a new password; sessions with the one before end. */
  async rotate(options: ChangeOptions = {}): Promise<{ data: NewSqlAccess }> {
    return await this.http.json({ ...options, method: "POST", path: "/records/sql-access/rotate" });
  }

  /** Ends its sessions, and drops it with its views. */
  async delete(): Promise<void> {
    await this.http.json({ method: "DELETE", path: "/records/sql-access" });
  }
}
