import type { ConnectionUuid } from "#foundation";
import type { LogMoment } from "#logs";

/** Whom an erasure is about; sealed while it runs, and forgotten at its end. */
export interface Subject {
  readonly endUserId: string;
  readonly connections: readonly ConnectionUuid[];
  /** Ids of these connections, as the customer chose them. */
  readonly names: readonly string[];
  readonly integrationIds: readonly number[];
  /** Texts that name the person, for what is found by its content alone. */
  readonly words: readonly string[];
  /** All that the log had then has been searched; what was written since has not. */
  readonly logSearched?: LogMoment | undefined;
}

/** Kinds of rows that an erasure counts. */
export const erasedKinds = [
  "connections",
  "connect_sessions",
  "connect_links",
  "agent_sessions",
  "api_keys",
  "agent_calls",
  "record_models",
  "runs",
  "actions",
  "dry_runs",
  "tapes",
  "webhook_deliveries",
  "received_webhooks",
  "problems",
  "audit_names",
  "log_operations",
  "log_messages",
] as const;

export type ErasedKind = (typeof erasedKinds)[number];
export type ErasedCounts = Readonly<Partial<Record<ErasedKind, number>>>;

export interface Erasure {
  readonly id: string;
  readonly step: number;
  readonly counts: ErasedCounts;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

// Shorter texts stand in too much that is about others.
const SHORTEST_WORD = 8;

/** Of these texts, those that name one person wherever they stand. */
export function toWords(texts: readonly (string | undefined)[]): string[] {
  const given = texts.filter((text) => text !== undefined).map((text) => text.trim());
  const telling = given.filter((text) => text.length >= SHORTEST_WORD || isAddress(text));
  return [...new Set(telling)];
}

function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}
