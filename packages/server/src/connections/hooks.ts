import type { Minted } from "#auth-modes";
import { type ConnectionUuid, defineHook, type Environment } from "#foundation";
import type { Integration } from "#integrations";
import type { Connection } from "./connection.ts";
import type { Attempt } from "./refresh/store.ts";

export interface ReadingThrough {
  readonly connection: Connection;
  readonly integration: Integration;
  readonly attempt: Attempt;
  /** Also what is not about to expire. */
  readonly force: boolean;
}

export interface ConnectionCreated {
  readonly connection: Connection;
  readonly integration: Integration;
  /** `override`: the connection existed and was authorized again. */
  readonly operation: "creation" | "override";
  readonly environment: Environment;
}

/** A connection that is about to be deleted. */
export interface ConnectionDeleting {
  readonly connection: Connection;
  readonly integration: Integration;
}

/** Some connections of an integration, as many as one transaction changes. */
export interface ConnectionsOf {
  readonly connections: readonly Connection[];
  readonly integration: Integration;
}

/** Runs in the transaction that stores the connection. */
export const connectionCreated = defineHook<ConnectionCreated>("connections.connectionCreated");

/**
 * Asked once the credentials work and the row is stored, before anyone else learns of the connection.
 * An answer that throws connection_validation_failed takes a new connection back, and flags one that
 * was authorized again. Not in a transaction: answers may take their time and call the provider.
 */
export const connectionValidating = defineHook<ConnectionCreated>(
  "connections.connectionValidating",
);

/** Asked before a connection is saved: whether anyone answers connectionValidating for it. */
export const connectionChecked = defineHook<{ readonly integration: Integration }, boolean>(
  "connections.connectionChecked",
  { unanswered: false },
);

/** Runs before a connection is deleted, outside of any transaction; handlers do not throw. */
export const connectionDeleting = defineHook<ConnectionDeleting>("connections.connectionDeleting");

/** Asked before an integration goes: whether anyone answers connectionDeleting for its connections. */
export const connectionDeletingWatched = defineHook<{ readonly integration: Integration }, boolean>(
  "connections.connectionDeletingWatched",
);

export interface ConnectionsLeaving extends ConnectionsOf {
  /** These are not deleted yet. */
  readonly stay: (connections: readonly ConnectionUuid[]) => void;
}

/**
 * Runs in the transaction that deletes a page of connections, before it does: locks what hangs on them, and waits for
 * nothing. Where another transaction holds some of that, the connection stays until later.
 */
export const connectionsLeaving = defineHook<ConnectionsLeaving>("connections.connectionsLeaving");

/** Runs in the transaction that deletes the connections. */
export const connectionsDeleted = defineHook<ConnectionsOf>("connections.connectionsDeleted");

/** Runs in the transaction that replaces or deletes the credentials of frozen connections, before it does. */
export const frozenCredentialsLeaving = defineHook<ConnectionsOf>(
  "connections.frozenCredentialsLeaving",
);

/** A refresh that was under way when the connection was frozen has brought other credentials. */
export const frozenCredentialsRenewed = defineHook<{ readonly connection: Connection }>(
  "connections.frozenCredentialsRenewed",
);

/**
 * Asked under the lease of a refresh for the credentials of a connection that an old platform refreshes. The answer
 * holds no refresh token, unless the connection has just become this server's own.
 */
export const readingThrough = defineHook<ReadingThrough, Minted>("connections.readingThrough");

/** Runs in the transaction that removes the rows of connections that were deleted long ago. */
export const connectionsRemoved = defineHook<{ readonly connections: readonly ConnectionUuid[] }>(
  "connections.connectionsRemoved",
);
