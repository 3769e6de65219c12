import type { PostgresPoolClient } from "kysely";

/** Sends a statement over one connection. */
export type Query = (text: string, values: readonly unknown[]) => Promise<unknown>;

// kysely sends statements with values only: the dialect is given no cursor class.
export function asQuery(client: PostgresPoolClient): Query {
  return client.query.bind(client) as unknown as Query;
}

/** A client of kysely's whose statements are sent by a function of ours. */
export function asClient(query: Query, release: (mustClose?: boolean) => void): PostgresPoolClient {
  return { query, release } as unknown as PostgresPoolClient;
}

// Ours takes whether the connection has to be closed, which kysely's type does not know.
export function releaseClient(client: PostgresPoolClient, mustClose: boolean | undefined): void {
  (client.release as (mustClose?: boolean) => void)(mustClose);
}
