/** What may be heard of, by the scope that it takes. */
export const topicScopes = {
  operations: "environment:logs:read",
  connections: "environment:connections:list",
  syncs: "environment:syncs:read",
  problems: "environment:problems:read",
  deliveries: "environment:webhooks:read",
  inbox: "environment:webhooks:read",
} as const;

export type Topic = keyof typeof topicScopes;

/** Queries to read again when a topic has changed: the first word of their keys; the second is the environment. */
export const queriesOf: Readonly<Record<Topic, readonly string[]>> = {
  operations: ["operations", "operation", "operation-messages"],
  connections: ["connections", "connection", "connection-counts"],
  syncs: ["syncs", "sync-runs", "record-models"],
  problems: ["problems", "problem"],
  deliveries: ["deliveries", "delivery", "receivers"],
  inbox: ["inbox", "inbound"],
};

export function isTopic(word: string): word is Topic {
  return Object.hasOwn(topicScopes, word);
}
