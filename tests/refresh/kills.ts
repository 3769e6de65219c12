import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import type { Answer, Harbor } from "./harbor.ts";
import type { GatewayPoint } from "./token-gateway.ts";
import type { TrialResult } from "./trial-result.ts";

/** Where a process dies, and whether the token may be lost by it. */
const failpoints = [
  { name: "refresh.before_request", mayLose: false },
  { name: "refresh.after_request_sent", mayLose: true },
  { name: "refresh.after_body", mayLose: true },
  { name: "refresh.before_commit", mayLose: false },
  { name: "refresh.after_commit", mayLose: false },
] as const;

const gatewayPoints: readonly GatewayPoint[] = ["asked", "granted", "headers"];

const SETTLED_WITHIN_MS = 60_000;

/** R3: kill -9 with so many attempts at one point, then a restart; each connection is a trial. */
export async function runKills(harbor: Harbor, perPoint: number): Promise<TrialResult[]> {
  const results: TrialResult[] = [];
  for (const { name, mayLose } of failpoints) {
    const victim = await harbor.start({ failpoint: { name, count: perPoint } });
    const ids = await harbor.connect(victim, perPoint);
    await harbor.expire(ids);
    const calls = ids.map((id) => harbor.get(victim, id).catch(() => undefined));
    await Promise.all(calls);
    results.push(await judge(harbor, `R3 ${name}`, ids, mayLose));
  }
  for (const point of gatewayPoints) {
    results.push(await killAtGateway(harbor, point, perPoint));
  }
  return results;
}

async function killAtGateway(
  harbor: Harbor,
  point: GatewayPoint,
  count: number,
): Promise<TrialResult> {
  const victim = await harbor.start();
  const ids = await harbor.connect(victim, count);
  await harbor.expire(ids);
  const allThere = Promise.withResolvers<void>();
  const dead = Promise.withResolvers<void>();
  let there = 0;
  harbor.gateway.onPoint(async (reached) => {
    if (reached !== point) return;
    there += 1;
    if (there === count) allThere.resolve();
    await dead.promise;
  });
  const calls = ids.map((id) => harbor.get(victim, id).catch(() => undefined));
  await allThere.promise;
  await victim.kill();
  harbor.gateway.onPoint(undefined);
  dead.resolve();
  await Promise.all(calls);
  return await judge(harbor, `R3 request ${point}`, ids, true);
}

/** After the restart every connection works, or says once and for all why it cannot. */
async function judge(
  harbor: Harbor,
  id: string,
  connectionIds: readonly string[],
  mayLose: boolean,
): Promise<TrialResult> {
  const asked = harbor.gateway.presented.length;
  const platform = await harbor.start();
  const violations: string[] = [];
  const outcomes = await Promise.all(
    connectionIds.map(async (connectionId) => await settle(harbor, platform, connectionId)),
  );
  let lost = 0;
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome === undefined) continue;
    lost += 1;
    if (!mayLose || outcome.code !== "invalid_credentials") {
      violations.push(`connection ${index}: ${outcome.status} ${outcome.code}`);
    }
  }
  const attempts = harbor.gateway.presented.length - asked;
  // One to come back to life, one that the check itself forces.
  if (attempts > 2 * connectionIds.length) violations.push(`${attempts} attempts: a loop`);
  await platform.stop();
  const note = `${lost} lost their token${mayLose ? ", which had not been written yet" : ""}`;
  return { id, trials: connectionIds.length, violations, note };
}

/** Undefined when the connection works and can be renewed again. */
async function settle(
  harbor: Harbor,
  platform: PlatformProcess,
  connectionId: string,
): Promise<Answer | undefined> {
  const until = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const answer = await harbor.proxy(platform, connectionId);
    if (answer.status === 200) {
      const renewed = await harbor.get(platform, connectionId, "&force_refresh=true");
      return renewed.status === 200 ? undefined : renewed;
    }
    const isFinal = answer.code === "invalid_credentials" || performance.now() > until;
    if (isFinal) return answer;
    await sleep(200);
  }
}
