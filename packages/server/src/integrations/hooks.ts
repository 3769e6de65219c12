import { defineHook } from "#platform";
import type { Integration } from "./integration.ts";

/** Told in the transaction that deletes the integration: what hangs on it has to go. */
export const integrationDeleting = defineHook<Integration>("integrations.deleting");

/** Unique keys of the integrations that a connect session allows; undefined for all. */
export const allowedIntegrations = defineHook<
  { readonly sessionId: string },
  readonly string[] | undefined
>("integrations.allowed");

/** How many connections each of these integrations has; one that is absent from the answer has none. */
export const connectionsOfIntegrations = defineHook<
  { readonly integrationIds: readonly number[] },
  ReadonlyMap<number, number>
>("integrations.connectionCounts");

export interface NamedConnection {
  readonly id: number;
  readonly connectionId: string;
  readonly createdAt: Date;
}

/** The newest connections of an integration, newest first. */
export const newestConnections = defineHook<
  { readonly integrationId: number; readonly limit: number },
  readonly NamedConnection[]
>("integrations.newestConnections");
