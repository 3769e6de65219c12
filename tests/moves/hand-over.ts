import { setTimeout as sleep } from "node:timers/promises";
import {
  type FakeOldPlatform,
  type OldRow,
  startFakeOldPlatform,
} from "../../packages/server/src/old-platforms/testing/fake-old-platform.ts";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import type { Harbor } from "../refresh/harbor.ts";
import type { TrialResult } from "../refresh/trial-result.ts";

const SETTLED_WITHIN_MS = 120_000;
const LIFE_MS = 3_600_000;

/** Where a process dies while connections are handed over or back. */
const overPoints = ["hand_over.begun", "hand_over.deleted"] as const;
const backPoints = ["hand_back.begun", "hand_back.imported"] as const;

export interface HandOverPlan {
  readonly connections: number;
  /** Kills at each point of the hand-over, and of the way back. */
  readonly killsPerPoint: number;
  /** Kills at any moment, in each direction. */
  readonly randomKills: number;
  readonly ways: readonly ("hand-over" | "hand-back")[];
}

/**
 * R13: connections are read through, and handed over and back, while the process is killed. No
 * refresh token may be presented twice, and each connection must work on the side that has it.
 */
export async function runHandOver(harbor: Harbor, plan: HandOverPlan): Promise<TrialResult> {
  await using old = await startFakeOldPlatform({
    now: () => new Date(),
    refresh: async (row) => await refreshAtGateway(harbor, row),
  });
  const violations: string[] = [];
  const first = await harbor.start();
  await harbor.connect(first, 0);
  const id = await addPlatform(harbor, first, old);
  const ids = Array.from({ length: plan.connections }, (_, index) => `moved-${index}`);
  for (const connectionId of ids) {
    const tokens = await harbor.authorize();
    const expiresAt = new Date(Date.now() + LIFE_MS);
    old.add({ key: "harbor", id: connectionId, ...tokens, expiresAt });
    await harbor.send(first, "POST", `/old-platforms/${id}/connections`, nameOf(connectionId));
  }
  await judge(harbor, first, { ids, violations, phase: "read through" });
  await first.stop();

  let kills = 0;
  for (const way of plan.ways) {
    const points = way === "hand-over" ? overPoints : backPoints;
    const last = await moveAll(harbor, { plan, id, way, points });
    kills += last.kills;
    const atOld = way === "hand-over" ? 0 : plan.connections;
    if (old.rows.size !== atOld) violations.push(`${way}: ${old.rows.size} at the old platform`);
    await judge(harbor, last.platform, { ids, violations, phase: way });
    await last.platform.stop();
  }

  const { presented } = harbor.gateway;
  const twice = presented.length - new Set(presented).size;
  if (twice > 0) violations.push(`${twice} refresh tokens were used twice`);
  const note = `${kills} kills, ${presented.length} refreshes, ${twice} refresh tokens used twice`;
  return { id: "R13", trials: plan.connections * plan.ways.length, violations, note };
}

interface Moving {
  readonly plan: HandOverPlan;
  readonly id: string;
  readonly way: "hand-over" | "hand-back";
  readonly points: readonly string[];
}

/** Moves all connections, by processes that die; resolves to how many did, and to the last one, which lives. */
async function moveAll(
  harbor: Harbor,
  { plan, id, way, points }: Moving,
): Promise<{ kills: number; platform: PlatformProcess }> {
  let kills = 0;
  for (const name of points) {
    for (let kill = 0; kill < plan.killsPerPoint; kill += 1) {
      const victim = await harbor.start({ failpoint: { name, count: 2 } });
      const isOver = await moveBatch(harbor, victim, { id, way, limit: 10 }).then(
        () => true,
        () => false,
      );
      if (!isOver) kills += 1;
      await victim.kill();
    }
  }
  for (let kill = 0; kill < plan.randomKills; kill += 1) {
    const victim = await harbor.start();
    const moving = moveBatch(harbor, victim, { id, way, limit: 20 }).catch(() => undefined);
    await sleep(20 + Math.random() * 400);
    await victim.kill();
    await moving;
    kills += 1;
  }
  const platform = await harbor.start();
  const until = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const { done, left } = await moveBatch(harbor, platform, { id, way, limit: 50 });
    if (left === 0 && done) break;
    if (performance.now() > until) break;
    await sleep(200);
  }
  return { kills, platform };
}

async function moveBatch(
  harbor: Harbor,
  platform: PlatformProcess,
  { id, way, limit }: { id: string; way: "hand-over" | "hand-back"; limit: number },
): Promise<{ done: boolean; left: number }> {
  const { status, text } = await harbor.ask(platform, "POST", `/old-platforms/${id}/${way}`, {
    limit,
  });
  if (status !== 200) throw new Error(`${way} answered ${status}: ${text}`);
  const answer: { data: { is_done: boolean }[]; remaining: number } = JSON.parse(text);
  return { done: answer.data.every((each) => each.is_done), left: answer.remaining };
}

/** Each connection answers with a token that the provider takes, and its owner can renew it. */
async function judge(
  harbor: Harbor,
  platform: PlatformProcess,
  given: {
    readonly ids: readonly string[];
    readonly violations: string[];
    readonly phase: string;
  },
): Promise<void> {
  for (const connectionId of given.ids) {
    const renewed = await harbor.get(platform, connectionId, "&force_refresh=true");
    const called = await harbor.proxy(platform, connectionId);
    if (renewed.status === 200 && called.status === 200) continue;
    given.violations.push(
      `${given.phase}: ${connectionId} answered ${renewed.status} ${renewed.code}, its call ${called.status} ${called.code}`,
    );
  }
}

async function addPlatform(
  harbor: Harbor,
  platform: PlatformProcess,
  old: FakeOldPlatform,
): Promise<string> {
  const body = { name: "old", url: old.url, secret_key: old.key };
  const { status, text } = await harbor.ask(platform, "POST", "/old-platforms", body);
  if (status !== 201) throw new Error(`the old platform was not added: ${status} ${text}`);
  return JSON.parse(text).data.id;
}

function nameOf(connectionId: string) {
  return { provider_config_key: "harbor", connection_id: connectionId };
}

async function refreshAtGateway({ gateway, provider }: Harbor, row: OldRow) {
  const { clientId, clientSecret } = provider.oauth;
  const response = await fetch(gateway.tokenUrl, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: row.refreshToken ?? "",
    }),
  });
  const answer: { access_token: string; refresh_token: string } = JSON.parse(await response.text());
  if (response.status !== 200) throw new Error("the provider refused the old platform");
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    expiresAt: new Date(Date.now() + LIFE_MS),
  };
}
