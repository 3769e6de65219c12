import type { ConnectionState } from "@jackfield/contract";
import { defineHook } from "#foundation";
import type { Integration } from "./integration.ts";

/**
 * Asked before an integration is deleted, outside of any transaction: what hangs on it and takes time to go. Answers
 * false when it is not gone within so many milliseconds; undefined: it takes the time that it needs.
 */
export const integrationLeaving = defineHook<
  { readonly integration: Integration; readonly withinMs: number | undefined },
  boolean
>("integrations.leaving", { unanswered: true });

/** Runs in the transaction that deletes the integration: what depends on it has to go. */
export const integrationDeleting = defineHook<Integration>("integrations.deleting");

/** Unique keys of the integrations that a connect session allows; undefined for all. */
export const allowedIntegrations = defineHook<
  { readonly sessionId: string },
  readonly string[] | undefined
>("integrations.allowed");

export interface NamedConnection {
  readonly id: number;
  readonly connectionId: string;
  readonly createdAt: Date;
}

export interface IntegrationConnections {
  readonly count: number;
  /** Newest first. */
  readonly newest: readonly NamedConnection[];
}

/** Asks how many connections an integration has, and for up to that many of the newest. */
export const integrationConnections = defineHook<
  { readonly integrationId: number; readonly newest: number },
  IntegrationConnections
>("integrations.connections");

export interface IntegrationStats {
  readonly connections: number;
  readonly byState: Readonly<Record<ConnectionState, number>>;
}

/** Asks for the counts of all integrations of the environment, by their ids; those without a connection may be absent. */
export const integrationStats = defineHook<
  Readonly<Record<never, never>>,
  ReadonlyMap<number, IntegrationStats>
>("integrations.stats");
