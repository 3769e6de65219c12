import { setTimeout as sleep } from "node:timers/promises";
import type { TrialResult } from "../refresh/trial-result.ts";
import { addConnections, type Installation, newUpload, startInstallation } from "./installation.ts";
import { makeRandom } from "./storm.ts";

/** What the syncs save. */
export interface Rows {
  readonly connections: number;
  readonly pages: number;
  readonly perPage: number;
  readonly settledWithinMs: number;
}

export interface FeedPlan extends Rows {
  /** The blows, their times and the breaks of the readers follow from it. */
  readonly seed: number;
  readonly victims: readonly ("api" | "worker" | "postgres")[];
  readonly workers: number;
  /** From one blow to the next, at least and at most. */
  readonly pauseMs: readonly [least: number, most: number];
}

/** Of each page, rows that the next one changes, and that the one after that deletes. */
const CHANGED = 10;
const DELETED = 5;

export const execOf = ({ pages, perPage }: Rows) => `
  const rowsOf = (page, count, at) => Array.from({ length: count }, (_, n) => ({ id: page + "-" + n, of: svc.connectionId, at }));
  for (let { page } = (await svc.getCheckpoint()) ?? { page: 0 }; page < ${pages}; page += 1) {
    await svc.batchSave(rowsOf(page, ${perPage}, page), "Row");
    if (page > 0) await svc.batchUpdate(rowsOf(page - 1, ${CHANGED}, page), "Row");
    if (page > 1) await svc.batchDelete(rowsOf(page - 2, ${DELETED}, page).map(({ id }) => ({ id })), "Row");
    await svc.saveCheckpoint({ page: page + 1 });
  }`;

interface FeedLine {
  readonly type: string;
  readonly cursor: string;
  readonly source: string;
  readonly connection_id: string;
  readonly record: {
    readonly id: string;
    readonly of: string;
    readonly at: number;
    readonly _svc_metadata: { readonly last_action: string };
  };
}

/** Stores what it reads, and its cursor with it; is broken off at random, and then continues from what it has stored. */
class FeedConsumer {
  readonly #all: Installation;
  readonly #random: () => number;
  readonly #accept: string;
  readonly records = new Map<string, string>();
  readonly violations: string[] = [];
  readonly #last = new Map<string, number>();
  cursor: string | undefined;
  events = 0;
  breaks = 0;

  constructor(all: Installation, options: { random: () => number; accept: string }) {
    this.#all = all;
    this.#random = options.random;
    this.#accept = options.accept;
  }

  async follow(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const breakAfterMs = Math.round(200 + this.#random() * 4000);
      const signal = AbortSignal.any([stop, AbortSignal.timeout(breakAfterMs)]);
      await this.#read(true, signal).catch(() => undefined);
      this.breaks += 1;
      if (!stop.aborted) await sleep(50);
    }
  }

  /** Reads to the end, again where the answer breaks off; false when there is none. */
  async finish(): Promise<boolean> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const isWhole = await this.#read(false, AbortSignal.timeout(60_000)).catch(() => false);
      if (isWhole) return true;
      await sleep(200);
    }
    return false;
  }

  async #read(isLive: boolean, signal: AbortSignal): Promise<boolean> {
    const query = new URLSearchParams({ live: String(isLive) });
    if (this.cursor !== undefined) query.set("cursor", this.cursor);
    const response = await fetch(`${this.#all.apiProcess.url}/records/feed?${query}`, {
      headers: { authorization: `Bearer ${this.#all.key}`, accept: this.#accept },
      signal,
    });
    if (response.status === 400) this.violations.push(await response.text());
    if (!response.ok) return false;
    let rest = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const json = line.replace(/^data: /, "");
        if (json.startsWith("{") && this.#take(JSON.parse(json)) === "end") return true;
      }
    }
    return false;
  }

  #take(event: FeedLine): string {
    this.cursor = event.cursor;
    if (event.type !== "record") return event.type;
    const { source, record, connection_id: connection } = event;
    const action = record._svc_metadata.last_action;
    if (record.of !== connection) this.violations.push(`${connection} has a row of ${record.of}`);
    const last = this.#last.get(source) ?? -1;
    if (action !== "DELETED") {
      if (record.at < last) this.violations.push(`${connection}: ${record.at} after ${last}`);
      this.#last.set(source, record.at);
    }
    this.events += 1;
    this.records.set(
      `${connection} ${record.id}`,
      action === "DELETED" ? "deleted" : String(record.at),
    );
    return event.type;
  }
}

/**
 * J17: two readers follow the feed of an environment, broken off at random, while processes and the database are killed and
 * syncs save, change and delete records. Then, in quiet, both have exactly what was saved.
 */
export async function runFeedKills(plan: FeedPlan): Promise<TrialResult> {
  const { seed, victims, pauseMs, connections } = plan;
  await using all = await startInstallation({
    workers: plan.workers,
    env: { SVC_WORKER_TIMEOUT: "2" },
  });
  await addConnections(all, all.api, { environment: "dev", count: connections });
  await all.api("POST", "/sync/deploy", { body: newUpload(execOf(plan), "every 30 seconds") });
  const random = makeRandom(seed);
  const stop = new AbortController();
  const consumers = ["text/event-stream", "application/x-ndjson"].map(
    (accept) => new FeedConsumer(all, { random, accept }),
  );
  const following = consumers.map(async (consumer) => await consumer.follow(stop.signal));
  for (const victim of victims) {
    await sleep(pauseMs[0] + random() * (pauseMs[1] - pauseMs[0]));
    if (victim === "api") await all.killApi();
    else if (victim === "postgres") await all.restartPostgres(random() * 1000);
    else await all.killWorker(Math.floor(random() * plan.workers));
  }
  const violations = await settle(all, plan);
  stop.abort();
  await Promise.all(following);
  for (const consumer of consumers) {
    if (!(await consumer.finish())) violations.push("a feed without a writer has no end");
    violations.push(...consumer.violations.slice(0, 5), ...compare(consumer.records, plan));
  }
  const events = consumers.map((consumer) => consumer.events);
  const breaks = consumers.map((consumer) => consumer.breaks);
  const trials = countChanges(plan);
  const note = `seed ${seed}, ${victims.length} blows, events ${events.join(" and ")}, breaks ${breaks.join(" and ")}`;
  return { id: "J17", trials, violations, note };
}

export async function settle({ query }: Installation, plan: Rows): Promise<string[]> {
  const until = performance.now() + plan.settledWithinMs;
  for (;;) {
    const [done] = await query<{ count: number }>(
      "select count(*)::int as count from checkpoints where (checkpoint ->> 'page')::int = $1",
      [plan.pages],
    );
    if (done?.count === plan.connections) return [];
    if (performance.now() > until) return [`only ${done?.count} syncs have come to their end`];
    await sleep(500);
  }
}

/** How many changes the syncs make. */
export function countChanges({ connections, pages, perPage }: Rows): number {
  return connections * pages * (perPage + CHANGED + DELETED);
}

/** What a row has to be in the end, by the plan alone. */
function expectedOf({ pages }: Pick<Rows, "pages">, page: number, n: number): string {
  if (n < DELETED && page < pages - 2) return "deleted";
  return String(n < CHANGED && page < pages - 1 ? page + 1 : page);
}

export function compare(records: ReadonlyMap<string, string>, plan: Rows): string[] {
  const violations: string[] = [];
  const { connections, pages, perPage } = plan;
  for (let number = 1; number <= connections; number += 1) {
    for (let page = 0; page < pages; page += 1) {
      for (let n = 0; n < perPage; n += 1) {
        const row = `c-${number} ${page}-${n}`;
        const expected = expectedOf(plan, page, n);
        if (records.get(row) !== expected) {
          violations.push(`${row} is ${records.get(row)}, not ${expected}`);
        }
      }
    }
  }
  if (records.size !== connections * pages * perPage) {
    violations.push(`${records.size} rows, not ${connections * pages * perPage}`);
  }
  return violations.length > 5
    ? [...violations.slice(0, 5), `${violations.length} in all`]
    : violations;
}
