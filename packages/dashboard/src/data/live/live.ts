import { useEffect, useSyncExternalStore } from "react";
import { apiAddress } from "../../start/base-path.ts";
import { csrfTokenOfPage } from "../api.ts";
import type { OwnEnvironment } from "../me.ts";
import { queryClient } from "../query-client.ts";
import { holdsScope } from "../scopes.ts";
import type { StreamNotice } from "./messages.ts";
import { type Channel, openChannel } from "./open-channel.ts";
import { noteUnseen } from "./title.ts";

/** What may be heard of, by the scope that it takes. */
const topicScopes = {
  operations: "environment:logs:read",
  connections: "environment:connections:list",
  syncs: "environment:syncs:read",
  problems: "environment:problems:read",
  deliveries: "environment:webhooks:read",
  inbox: "environment:webhooks:read",
  setup: "environment:logs:read",
  agents: "environment:agents:read",
  "connect-links": "environment:connect_sessions:read",
  revocations: "environment:revocations:read",
} as const;

/** Queries to read again when a topic has changed: the first word of their keys; the second is the environment. */
const queriesOf: Readonly<Record<Topic, readonly string[]>> = {
  operations: ["operations", "operation", "operation-messages"],
  connections: ["connections", "connection", "connection-counts"],
  syncs: ["syncs", "sync-runs", "record-models", "records", "record"],
  problems: ["problems", "problem"],
  deliveries: ["deliveries", "delivery", "receivers"],
  inbox: ["inbox", "inbound"],
  setup: [
    "integrations",
    "integration",
    "providers",
    "functions",
    "function",
    "function-list",
    "deployments",
    "keys",
    "toolsets",
    "toolset",
  ],
  agents: ["agent-sessions", "agent-calls", "approvals", "approval"],
  "connect-links": ["connect-links"],
  revocations: ["revocations", "revocation"],
};

/** Counts of what a topic is about. */
const countsOf: Readonly<Partial<Record<Topic, readonly string[]>>> = {
  operations: ["operation-counts", "record-counts", "metric-series", "metric-totals"],
};

/** A list is read again at most this often, however much happens. */
const LIST_EVERY_MS = 2000;
/** Counts take the server more to answer, and hardly differ after one operation. */
const COUNTS_EVERY_MS = 120_000;

export interface Live {
  readonly isOpen: boolean;
  /** Since when nothing can be heard; undefined before that. */
  readonly awaySince: number | undefined;
}

let live: Live = { isOpen: false, awaySince: undefined };
let environment: string | undefined;
let channel: Channel | undefined;
const listeners = new Set<() => void>();
const waiting = new Map<readonly string[], ReturnType<typeof setTimeout>>();
const refreshedAt = new Map<readonly string[], number>();

export function isLive(): boolean {
  return live.isOpen;
}

/** What changes are heard of also changes by time alone, which nobody announces: approvals and sessions end. */
const LOOK_EVERY_MS = 60_000;

/** How often what changes while somebody looks at it is read again: seldom while its changes are heard of. */
export function pollEvery(ms: number): number {
  return live.isOpen ? Math.max(ms, LOOK_EVERY_MS) : ms;
}

export function useLive(): Live {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => live,
  );
}

/** Reads lists of the environment again when they have changed, for as long as a screen of it is open. */
export function useLiveEnvironment(own: OwnEnvironment | undefined): void {
  const name = own?.name;
  const topics = topicsOf(own?.scopes ?? []).join();
  useEffect(() => {
    if (name === undefined || topics === "") return;
    const begin = () => join(name, topics.split(","));
    const leave = () => channel?.say({ kind: "leave" });
    begin();
    // A page that Back shows again comes from the browser's memory, as it was left.
    window.addEventListener("pageshow", begin);
    window.addEventListener("pagehide", leave);
    return () => {
      window.removeEventListener("pageshow", begin);
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [name, topics]);
}

function topicsOf(scopes: readonly string[]): string[] {
  return Object.entries(topicScopes)
    .filter(([, scope]) => holdsScope(scopes, scope))
    .map(([topic]) => topic);
}

function join(name: string, topics: readonly string[]): void {
  const csrf = csrfTokenOfPage();
  if (csrf === undefined) return;
  environment = name;
  channel ??= openChannel(hear);
  channel.say({ kind: "wish", wish: { environment: name, topics, api: apiAddress, csrf } });
}

function hear(notice: StreamNotice): void {
  if (notice.environment !== environment) return;
  if (notice.kind === "changed") {
    if (isTopic(notice.topic)) refreshAbout(notice.topic, environment);
    return;
  }
  const isOpen = notice.state === "open";
  const isAway = notice.state === "away" || notice.state === "refused";
  live = { isOpen, awaySince: isAway ? (live.awaySince ?? Date.now()) : undefined };
  for (const listener of listeners) listener();
  // Who may hear nothing any more has perhaps been signed out, or has another role.
  if (notice.state === "refused") void queryClient.invalidateQueries({ queryKey: ["me"] });
}

function refreshAbout(topic: Topic, name: string): void {
  refreshSoon(queriesOf[topic], name, LIST_EVERY_MS);
  const counts = countsOf[topic];
  if (counts !== undefined) refreshSoon(counts, name, COUNTS_EVERY_MS);
}

function refreshSoon(queries: readonly string[], name: string, everyMs: number): void {
  if (waiting.has(queries)) return;
  const sinceMs = Date.now() - (refreshedAt.get(queries) ?? 0);
  const timer = setTimeout(
    () => {
      waiting.delete(queries);
      refreshedAt.set(queries, Date.now());
      if (environment === name) void refresh(queries, name);
    },
    Math.max(0, everyMs - sinceMs),
  );
  waiting.set(queries, timer);
}

/**
 * A tab that nobody sees reads again when it is looked at, and a list of several pages when its reader asks: to read
 * them all for each change would be a load, and they would move below the reader's eyes.
 */
async function refresh(queries: readonly string[], name: string): Promise<void> {
  for (const query of queries) {
    const queryKey = [query, name];
    await queryClient.invalidateQueries({ queryKey, refetchType: "none" });
    if (document.visibilityState === "hidden") {
      if (queryClient.getQueryCache().findAll({ queryKey, type: "active" }).length > 0)
        noteUnseen();
      continue;
    }
    await queryClient.refetchQueries({
      queryKey,
      type: "active",
      predicate: ({ state }) => pagesOf(state.data) <= 1,
    });
  }
}

function pagesOf(data: unknown): number {
  const { pages } = Object(data);
  return Array.isArray(pages) ? pages.length : 1;
}

type Topic = keyof typeof topicScopes;

function isTopic(word: string): word is Topic {
  return Object.hasOwn(topicScopes, word);
}
