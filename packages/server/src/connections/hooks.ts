import type { Integration } from "#integrations";
import { defineHook, type Environment } from "#platform";
import type { Connection } from "./connection.ts";

export interface ConnectionCreated {
  readonly connection: Connection;
  readonly integration: Integration;
  /** `override`: the connection existed and was authorised anew. */
  readonly operation: "creation" | "override";
  readonly environment: Environment;
}

export interface ConnectionDeleted {
  readonly connection: Connection;
  readonly integration: Integration;
}

/** Told in the transaction that stores the connection. */
export const connectionCreated = defineHook<ConnectionCreated>("connections.connectionCreated");

/** Told in the transaction that deletes the connection. */
export const connectionDeleted = defineHook<ConnectionDeleted>("connections.connectionDeleted");
