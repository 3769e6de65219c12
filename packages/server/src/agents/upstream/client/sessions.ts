import type { PriorDiscovery } from "@modelcontextprotocol/client";
import { LRUCache } from "lru-cache";
import { HOUR, MINUTE, serverState } from "#platform";

/** A session of an earlier revision, as its server knows it. */
export interface LegacySession {
  readonly sessionId: string;
  readonly protocolVersion: string;
}

/** What is known of servers from earlier calls: never more than a call could find out again. */
export const upstreamMemory = serverState(() => ({
  /** Which revisions a server speaks to a connection; a server may be upgraded. */
  eras: new LRUCache<string, PriorDiscovery>({ max: 2000, ttl: HOUR }),
  sessions: new LRUCache<string, LegacySession>({ max: 5000, ttl: 30 * MINUTE }),
}));
