import type pg from "pg";
import { createTestDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type Line, openLineTo } from "../outages/line.ts";

/** A PostgreSQL with our schema behind a line that can be cut. */
export interface Worker extends AsyncDisposable {
  readonly line: Line;
  /** Around the line. */
  readonly pool: pg.Pool;
  readonly url: URL;
}

export async function openWorker(): Promise<Worker> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const { line, url } = await openLineTo(database.connectionString);
  stack.use(line);
  return {
    line,
    pool: database.pool,
    url: new URL(url),
    [Symbol.asyncDispose]: async () => await stack.disposeAsync(),
  };
}

/** Puts tables of the worker in the place of those of the coordinator. */
export function toForeign({ url }: Worker, tables: readonly string[]): string {
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  return `
    create extension postgres_fdw;
    create server worker foreign data wrapper postgres_fdw
      options (host '${url.hostname}', port '${url.port}', dbname '${url.pathname.slice(1)}', connect_timeout '2');
    create user mapping for current_user server worker options (user '${user}', password '${password}');
    ${tables.map((table) => `drop table ${table} cascade;`).join("\n")}
    import foreign schema public limit to (${tables.join(", ")}) from server worker into public`;
}
