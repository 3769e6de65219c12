import { LRUCache } from "lru-cache";
import type { ConnectionUuid } from "#platform";
import type { Exhaustion } from "./read-quota.ts";

/** The owner of calls: quotas are kept for a connection and for the app, which is an integration. */
export interface QuotaOwner {
  readonly connection: ConnectionUuid;
  readonly integrationId: number;
}

// This many connections refused at one time mean that the quota is the app's.
const APP_EVIDENCE = 3;
const MAX_BLOCKS = 10_000;

/** Until when calls of a connection or an app are refused by the provider; times in milliseconds since 1970. */
export class Quotas {
  readonly #blocks = new LRUCache<string, number>({ max: MAX_BLOCKS });
  /** Connections of an integration that are blocked, as evidence. */
  readonly #blockedOf = new LRUCache<number, Map<ConnectionUuid, number>>({ max: MAX_BLOCKS });

  /** Takes note; returns the names that are newly blocked, which other processes have to learn. */
  note(owner: QuotaOwner, { waitMs, scope }: Exhaustion, nowMs: number): string[] {
    const until = nowMs + waitMs;
    const names = scope === "app" || this.#isOfApp(owner, until, nowMs) ? [appOf(owner)] : [];
    return [connectionOf(owner), ...names].filter((name) => this.block(name, until, nowMs));
  }

  /** Whether the block is new or longer than the one that stands. */
  block(name: string, until: number, nowMs: number): boolean {
    if ((this.#blocks.get(name) ?? 0) >= until) return false;
    const isNew = (this.#blocks.get(name) ?? 0) <= nowMs;
    this.#blocks.set(name, until);
    return isNew;
  }

  /** When the owner's calls are let through again; 0 when they are. */
  blockedUntil(owner: QuotaOwner, nowMs: number): number {
    if (this.#blocks.size === 0) return 0;
    const until = Math.max(
      this.#blocks.get(connectionOf(owner)) ?? 0,
      this.#blocks.get(appOf(owner)) ?? 0,
    );
    return until > nowMs ? until : 0;
  }

  untilOf(name: string): number {
    return this.#blocks.get(name) ?? 0;
  }

  #isOfApp({ connection, integrationId }: QuotaOwner, until: number, nowMs: number): boolean {
    const blocked = this.#blockedOf.get(integrationId) ?? new Map<ConnectionUuid, number>();
    for (const [uuid, end] of blocked) if (end <= nowMs) blocked.delete(uuid);
    this.#blockedOf.set(integrationId, blocked.set(connection, until));
    return blocked.size >= APP_EVIDENCE;
  }
}

function connectionOf({ connection }: QuotaOwner): string {
  return `c:${connection}`;
}

function appOf({ integrationId }: QuotaOwner): string {
  return `i:${integrationId}`;
}
