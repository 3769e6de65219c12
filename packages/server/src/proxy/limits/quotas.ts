import { LRUCache } from "lru-cache";
import { type ConnectionUuid, MINUTE } from "#foundation";
import { type Allowance, Budget } from "./budget.ts";
import type { QuotaReport } from "./read-quota.ts";

/** The owner of calls: quotas are kept for a connection and for the app, which is an integration. */
export interface QuotaOwner {
  readonly connection: ConnectionUuid;
  readonly integrationId: number;
}

/** A quota under the name that processes know it by. */
export interface NamedBudget {
  readonly name: string;
  readonly budget: Budget;
}

// This many connections refused at one time mean that the quota is the app's.
const APP_EVIDENCE = 3;
const APP_WIDE_MS = 60 * MINUTE;
const MAX_BUDGETS = 10_000;

/** The quotas of connections and apps, as far as their providers have said something; times in milliseconds since 1970. */
export class Quotas {
  readonly #budgets = new LRUCache<string, Budget>({ max: MAX_BUDGETS });
  /** Connections of an integration that are blocked, as evidence. */
  readonly #blockedOf = new LRUCache<number, Map<ConnectionUuid, number>>({ max: MAX_BUDGETS });
  /** Until when an integration's connections are taken to share one quota. */
  readonly #appWide = new LRUCache<number, number>({ max: MAX_BUDGETS });

  /** Takes note of what an answer says; returns the quotas that are newly used up, which other processes have to learn. */
  note(owner: QuotaOwner, { scope, waitMs, limit, allowance }: QuotaReport, nowMs: number) {
    if (allowance !== undefined) this.#allow(owner, scope, allowance, nowMs);
    if (waitMs === undefined) return [];
    const until = nowMs + waitMs;
    const isOfApp = scope === "app" || this.#isOfApp(owner, until, nowMs);
    const names = isOfApp ? [appOf(owner)] : [];
    return [connectionOf(owner), ...names].filter((name) => this.block(name, until, nowMs, limit));
  }

  /** Whether the block is new or longer than the one that stands. */
  block(name: string, until: number, nowMs: number, limit?: number): boolean {
    const budget = this.#open(name, nowMs);
    const before = budget.blockedUntil;
    if (before >= until) return false;
    budget.useUp(until, nowMs, limit);
    return before <= nowMs;
  }

  /** When the owner's calls are let through again; 0 when they are. */
  blockedUntil(owner: QuotaOwner, nowMs: number): number {
    if (this.#budgets.size === 0) return 0;
    const until = Math.max(this.untilOf(connectionOf(owner)), this.untilOf(appOf(owner)));
    return until > nowMs ? until : 0;
  }

  untilOf(name: string): number {
    return this.#budgets.get(name)?.blockedUntil ?? 0;
  }

  /** What is known of the quotas that the owner's calls use; the app's own last. */
  listKnown(owner: QuotaOwner): NamedBudget[] {
    if (this.#budgets.size === 0) return [];
    return [connectionOf(owner), appOf(owner)].flatMap((name) => {
      const budget = this.#budgets.get(name);
      return budget === undefined ? [] : [{ name, budget }];
    });
  }

  /** The same, for calls that wait for quota: the app's first call says what there is. */
  listForWaiting(owner: QuotaOwner, nowMs: number): NamedBudget[] {
    this.#open(appOf(owner), nowMs);
    return this.listKnown(owner);
  }

  /** Quotas of which something may be known, those used last first. */
  get names(): Iterable<string> {
    return this.#budgets.keys();
  }

  findByName(name: string): Budget | undefined {
    return this.#budgets.get(name);
  }

  #allow(
    owner: QuotaOwner,
    scope: QuotaReport["scope"],
    allowance: Allowance,
    nowMs: number,
  ): void {
    const isAppWide = scope === "app" || (this.#appWide.get(owner.integrationId) ?? 0) > nowMs;
    const name = isAppWide ? appOf(owner) : connectionOf(owner);
    this.#open(name, nowMs).note(allowance, nowMs);
  }

  #open(name: string, nowMs: number): Budget {
    const known = this.#budgets.get(name);
    if (known !== undefined) return known;
    const budget = new Budget(nowMs);
    this.#budgets.set(name, budget);
    return budget;
  }

  #isOfApp({ connection, integrationId }: QuotaOwner, until: number, nowMs: number): boolean {
    const blocked = this.#blockedOf.get(integrationId) ?? new Map<ConnectionUuid, number>();
    for (const [uuid, end] of blocked) if (end <= nowMs) blocked.delete(uuid);
    this.#blockedOf.set(integrationId, blocked.set(connection, until));
    const isOfApp = blocked.size >= APP_EVIDENCE;
    if (isOfApp) this.#appWide.set(integrationId, nowMs + APP_WIDE_MS);
    return isOfApp;
  }
}

function connectionOf({ connection }: QuotaOwner): string {
  return `c:${connection}`;
}

function appOf({ integrationId }: QuotaOwner): string {
  return `i:${integrationId}`;
}
