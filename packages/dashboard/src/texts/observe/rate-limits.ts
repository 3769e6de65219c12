import { counted } from "../counted.ts";

/** Rate limits of providers: what was learned, what is left, who waits. */
export const english = {
  title: "Rate limits",
  of: "Limit of",
  app: (integration: string) => `${integration}, all connections`,
  connection: "Connection",
  integration: "Integration",
  scope: "Shared by",
  scopes: { app: "all connections of the integration", connection: "one connection" },
  state: "State",
  states: { free: "calls are sent", waiting: "calls wait", usedUp: "used up" },
  limit: "Calls per window",
  remaining: "Left",
  resets: "Resets",
  unknown: "not known",
  ranks: { people: "People", actions: "Actions", syncs: "Syncs" },
  rankTexts: {
    people: "API keys and users",
    actions: "Actions and agents",
    syncs: "Syncs",
  },
  nobody: "–",
  waits: (calls: string, longest: string) => `${calls}, up to ${longest}`,
  about: "About",
  whoWaits: "Who waits",
  whoWaitsText:
    "Calls of people are sent first, then those of actions and agents; at least one call in ten is a sync's.",
  rank: "Calls of",
  calls: "Waiting",
  since: "Oldest since",
  estimated: "A new call waits",
  connections: "Connections that wait",
  connectionCalls: (calls: string) => counted(calls, "call"),
  ofIntegration: "of its integration",
  emptyTitle: "No rate limits known yet",
  emptyText:
    "The server learns the limits of a provider from its response headers and refusals. After a restart, it learns them again.",
};
