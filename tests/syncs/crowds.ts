import { setTimeout as sleep } from "node:timers/promises";
import type { TrialResult } from "../refresh/trial-result.ts";
import { addConnections, newUpload, startInstallation } from "./installation.ts";

const RUN_SLOTS = 20;
const trivial = `await svc.batchSave([{ id: "1" }], "Row");`;

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** J7: all processes stand still for 3 hours; each schedule of 5 minutes makes that up with one run, not with 36. */
export async function runStandstill(schedules: number): Promise<TrialResult> {
  await using all = await startInstallation({ workers: 0 });
  await addConnections(all, all.api, { environment: "dev", count: schedules });
  await all.api("POST", "/sync/deploy", { body: newUpload(trivial, "every 5 minutes") });
  await all.query(`
    update syncs set anchored_at = anchored_at - interval '3 hours',
                     next_run_at = anchored_at - interval '3 hours'`);
  const [{ begin } = { begin: new Date() }] = await all.query<{ begin: Date }>(
    "select clock_timestamp() as begin",
  );
  await all.startWorker();
  let most = 0;
  for (;;) {
    const [now] = await all.query<{ waiting: number; active: number }>(`
      select (select count(*) from syncs where last_sync_date is null)::int as waiting,
             (select count(*) from syncs where running_run_id is not null)::int as active`);
    most = Math.max(most, now?.active ?? 0);
    if (now?.waiting === 0) break;
    await sleep(200);
  }
  // One run to catch up, and one for each point of the grid that has come since.
  const tooMany = await all.query(
    `select s.id from syncs s join runs r on r.sync_id = s.id
      group by s.id, s.anchored_at
     having count(*) > 1 + floor(extract(epoch from clock_timestamp() - s.anchored_at) / 300)
                         - floor(extract(epoch from $1::timestamptz - s.anchored_at) / 300)`,
    [begin],
  );
  const [spread] = await all.query<{ slots: number; seconds: number }>(
    `select count(distinct date_trunc('minute', next_run_at))::int as slots,
            extract(epoch from max(next_run_at) - clock_timestamp())::int as seconds from syncs`,
  );
  const violations = [
    ...(tooMany.length === 0
      ? []
      : [`${tooMany.length} schedules ran more often than they should`]),
    ...(most <= RUN_SLOTS ? [] : [`${most} runs at once, more than ${RUN_SLOTS} places`]),
    ...((spread?.seconds ?? 0) <= 300 ? [] : [`the next slot is ${spread?.seconds} s away`]),
  ];
  const note = `${most} at once at most, next slots over ${spread?.slots} minutes`;
  return { id: "J7", trials: schedules, violations, note };
}

/** J8: an environment has a crowd of runs waiting; another asks for one each second and hardly waits. */
export async function runCrowd(options: {
  crowd: number;
  seconds: number;
  withinMs: number;
}): Promise<TrialResult> {
  const { crowd, seconds, withinMs } = options;
  await using all = await startInstallation({ workers: 0 });
  const other = await all.openProduction();
  await addConnections(all, all.api, { environment: "dev", count: crowd });
  await addConnections(all, other, { environment: "prod", count: 10 });
  const slow = "await new Promise((resolve) => setTimeout(resolve, 500));";
  await all.api("POST", "/sync/deploy", { body: newUpload(slow, "every day") });
  await other("POST", "/sync/deploy", { body: newUpload(trivial, "every day") });
  await all.startWorker();
  const ofOther = "environment_id = (select id from environments where name = 'prod')";
  for (;;) {
    const [row] = await all.query<{ left: number }>(
      `select count(*)::int as left from syncs where last_sync_date is null and ${ofOther}`,
    );
    if (row?.left === 0) break;
    await sleep(100);
  }
  const [{ begin } = { begin: new Date() }] = await all.query<{ begin: Date }>(
    "select clock_timestamp() as begin",
  );
  const asked: { connection: string; at: number }[] = [];
  for (let second = 0; second < seconds; second += 1) {
    const connection = `c-${(second % 10) + 1}`;
    asked.push({ connection, at: Date.now() });
    const body = { provider_config_key: "crm", connection_id: connection, syncs: ["rows"] };
    await other("POST", "/sync/trigger", { body });
    await sleep(1000);
  }
  const [stillWaiting] = await all.query<{ count: number }>(
    `select count(*)::int as count from syncs where last_sync_date is null and not ${ofOther}`,
  );
  const begun = await all.query<{ connection: string; startedAt: Date }>(
    `select c.connection_id as connection, r.started_at as "startedAt"
       from runs r join connections c on c.uuid = r.connection_uuid
      where r.created_at >= $1 and r.${ofOther} and r.started_at is not null order by r.started_at`,
    [begin],
  );
  const delays = asked.map(({ connection, at }) => {
    const first = begun.find(
      (run) => run.connection === connection && run.startedAt.getTime() >= at,
    );
    return first === undefined ? Number.POSITIVE_INFINITY : first.startedAt.getTime() - at;
  });
  const p95 = percentile(delays, 0.95);
  const violations = [
    ...(p95 <= withinMs ? [] : [`p95 of the delay is ${p95} ms, more than ${withinMs}`]),
    ...((stillWaiting?.count ?? 0) > 0 ? [] : ["the crowd was over too soon to tell"]),
  ];
  const note = `delay p50 ${percentile(delays, 0.5)} ms, p95 ${p95} ms, ${stillWaiting?.count} of ${crowd} waited still`;
  return { id: "J8", trials: seconds, violations, note };
}

/** J10: actions are accepted, then every process dies at once; each has an outcome after the next start. */
export async function runAcceptedActions(count: number): Promise<TrialResult> {
  await using all = await startInstallation({ workers: 1, env: { SVC_WORKER_TIMEOUT: "2" } });
  await addConnections(all, all.api, { environment: "dev", count: 50 });
  await all.api("POST", "/sync/deploy", { body: newUpload("", "every day") });
  const ids: string[] = [];
  const accept = async (number: number) => {
    const connection = `c-${(number % 50) + 1}`;
    const headers = {
      "connection-id": connection,
      "provider-config-key": "crm",
      "x-async": "true",
    };
    const body = { action_name: "greet", input: number };
    const answer = await all.api("POST", "/action/trigger", { headers, body });
    if (answer.status === 202) ids.push(answer.body.id);
  };
  for (let start = 0; start < count; start += 20) {
    const some = Array.from({ length: Math.min(20, count - start) }, (_, n) => accept(start + n));
    await Promise.all(some);
  }
  await Promise.all([all.killWorker(0), all.killApi()]);
  const states = new Map<number, number>();
  for (const id of ids) {
    let { status } = await all.api("GET", `/action/${id}`);
    for (let look = 0; status === 404 && look < 600; look += 1) {
      await sleep(200);
      ({ status } = await all.api("GET", `/action/${id}`));
    }
    states.set(status, (states.get(status) ?? 0) + 1);
  }
  const known = (states.get(200) ?? 0) + (states.get(500) ?? 0);
  const violations = [
    ...(ids.length === count ? [] : [`${count - ids.length} were not accepted`]),
    ...(known === ids.length ? [] : [`${ids.length - known} have no outcome`]),
  ];
  return { id: "J10", trials: count, violations, note: JSON.stringify([...states]) };
}
