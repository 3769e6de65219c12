import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { TrialResult } from "../refresh/trial-result.ts";
import { addConnections, type Installation, newUpload, startInstallation } from "./installation.ts";

/** What a blow hits: one process for good, or one that comes back as a zombie, or the database. */
export type Victim = "api" | "worker" | "frozen-worker" | "function" | "postgres";

export interface StormPlan {
  /** The blows, their times and their victims' places follow from it. */
  readonly seed: number;
  readonly victims: readonly Victim[];
  readonly workers: number;
  readonly connections: number;
  readonly pages: number;
  readonly perPage: number;
  readonly actions: number;
  /** From one blow to the next, at least and at most. */
  readonly pauseMs: readonly [least: number, most: number];
  readonly settledWithinMs: number;
}

const WORKER_TIMEOUT_SECONDS = 2;

const exec = ({ pages, perPage }: StormPlan) => `
  for (let { page } = (await svc.getCheckpoint()) ?? { page: 0 }; page < ${pages}; page += 1) {
    const rows = Array.from({ length: ${perPage} }, (_, n) => ({ id: page + "-" + n, of: svc.connectionId }));
    await svc.batchSave(rows, "Row");
    await new Promise((resolve) => setTimeout(resolve, 200));
    await svc.saveCheckpoint({ page: page + 1 });
  }`;

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * J1, J3, J4, J6, J10: processes and the database are killed, stopped and restarted while syncs save their pages and
 * actions are accepted. Then, in quiet, the history is checked.
 */
export async function runSyncStorm(plan: StormPlan): Promise<TrialResult> {
  const { seed, victims, pauseMs } = plan;
  const env = { SVC_WORKER_TIMEOUT: String(WORKER_TIMEOUT_SECONDS) };
  await using all = await startInstallation({ workers: plan.workers, env });
  await addConnections(all, all.api, { environment: "dev", count: plan.connections });
  await all.api("POST", "/sync/deploy", { body: newUpload(exec(plan), "every 30 seconds") });
  const random = makeRandom(seed);
  const accepting = acceptActions(all, plan);
  for (const victim of victims) {
    await sleep(pauseMs[0] + random() * (pauseMs[1] - pauseMs[0]));
    await strike(all, victim, random);
  }
  const ids = await accepting;
  const violations = await settle(all, plan);
  if (violations.length === 0) violations.push(...(await checkHistory(all, plan)));
  const actions = await checkActions(all, ids);
  violations.push(...actions.violations);
  const states = await all.query(
    "select state, count(*)::int as runs, max(attempts) as attempts from runs group by state",
  );
  const note = `seed ${seed}, ${victims.length} blows, ${ids.length} actions (${actions.failed} failed), ${JSON.stringify(states)}`;
  return { id: "J1", trials: plan.connections * plan.pages, violations, note };
}

async function strike(all: Installation, victim: Victim, random: () => number): Promise<void> {
  const place = Math.floor(random() * all.workers.length);
  const processId = all.workers[place]?.processId ?? 0;
  if (victim === "api") await all.killApi();
  else if (victim === "worker") await all.killWorker(place);
  else if (victim === "function") killBelow(processId);
  else if (victim === "postgres") await all.restartPostgres(random() * 2000);
  else {
    process.kill(processId, "SIGSTOP");
    await sleep(WORKER_TIMEOUT_SECONDS * 2000);
    process.kill(processId, "SIGCONT");
  }
}

/** Kills the functions of a worker, and what confines them. */
function killBelow(processId: number): void {
  for (const task of readdirSync(`/proc/${processId}/task`)) {
    const children = readFileSync(`/proc/${processId}/task/${task}/children`, "utf8");
    for (const child of children.split(" ").filter(Boolean).map(Number)) {
      killBelow(child);
      try {
        process.kill(child, "SIGKILL");
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
      }
    }
  }
}

/** Actions that were accepted; one whose call broke off does not count. */
async function acceptActions(
  { api }: Installation,
  { actions, connections }: StormPlan,
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < actions; number += 1) {
    const headers = {
      "connection-id": `c-${(number % connections) + 1}`,
      "provider-config-key": "crm",
      "x-async": "true",
      "x-max-retries": "5",
    };
    const body = { action_name: "greet", input: number };
    const answer = await api("POST", "/action/trigger", { headers, body }).catch(() => undefined);
    if (answer?.status === 202) ids.push(answer.body.id);
    else await sleep(200);
  }
  return ids;
}

/** Waits until every sync has come to its end and nothing is open any more. */
async function settle({ query }: Installation, plan: StormPlan): Promise<string[]> {
  const until = performance.now() + plan.settledWithinMs;
  for (;;) {
    const [left] = await query<{ syncs: number; actions: number }>(`
      select (select count(*) from syncs where last_sync_date is null)::int as syncs,
             (select count(*) from async_actions where ended_at is null)::int as actions`);
    if (left?.syncs === 0 && left.actions === 0) return [];
    if (performance.now() > until) return [`still open: ${JSON.stringify(left)}`];
    await sleep(500);
  }
}

async function checkHistory(
  { query, api }: Installation,
  { connections, pages, perPage }: StormPlan,
): Promise<string[]> {
  const violations: string[] = [];
  const expected = connections * pages * perPage;
  // Across all attempts of all runs: nothing was counted twice, nothing written by one that had lost its run.
  const [counts] = await query<{ records: number; live: number; added: number; updated: number }>(`
    select (select count(*) from records)::int as records,
           (select sum(live_count) from record_models)::int as live,
           sum((result -> 'Row' ->> 'added')::int)::int as added,
           sum((result -> 'Row' ->> 'updated')::int)::int as updated from runs`);
  const wanted = { records: expected, live: expected, added: expected, updated: 0 };
  if (JSON.stringify(counts) !== JSON.stringify(wanted)) {
    violations.push(`counts are ${JSON.stringify(counts)}, not ${JSON.stringify(wanted)}`);
  }
  const overlapping = await query(`
    select a.sync_id from runs a join runs b on a.sync_id = b.sync_id and a.id < b.id
     where a.started_at < b.ended_at and b.started_at < a.ended_at`);
  if (overlapping.length > 0) violations.push(`${overlapping.length} runs of one sync overlap`);
  const [behind] = await query<{ count: number }>(
    "select count(*)::int as count from checkpoints where (checkpoint ->> 'page')::int <> $1",
    [pages],
  );
  if (behind?.count !== 0) violations.push(`${behind?.count} checkpoints are not at the end`);
  const ids = Array.from({ length: pages * perPage }, (_, n) => {
    return `${Math.floor(n / perPage)}-${n % perPage}`;
  }).toSorted();
  for (let number = 1; number <= connections; number += 1) {
    const headers = { "connection-id": `c-${number}`, "provider-config-key": "crm" };
    const { body } = await api("GET", "/records?model=Row&limit=10000", { headers });
    const records: { id: string; of: string }[] = body.records;
    const isWhole =
      records
        .map(({ id }) => id)
        .toSorted()
        .join() === ids.join();
    const isOwn = records.every(({ of }) => of === `c-${number}`);
    if (!isWhole || !isOwn) violations.push(`the records of c-${number} are not what it saved`);
  }
  return violations;
}

/** Each that was accepted has an outcome; one that a kill took is reported as a failure. */
async function checkActions(
  { api }: Installation,
  ids: readonly string[],
): Promise<{ violations: string[]; failed: number }> {
  const statuses: number[] = [];
  for (const id of ids) statuses.push((await api("GET", `/action/${id}`)).status);
  const unknown = statuses.filter((status) => status !== 200 && status !== 500).length;
  return {
    violations: unknown === 0 ? [] : [`${unknown} accepted actions have no outcome`],
    failed: statuses.filter((status) => status === 500).length,
  };
}
