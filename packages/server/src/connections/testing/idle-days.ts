import { randomUUID } from "node:crypto";
import { createConnection, createIdleRefreshWork } from "#connections";
import { addMs, type EnvironmentContext, MINUTE, SECOND } from "#foundation";
import type { TestContext } from "#foundation/testing";
import { prepareConnection } from "./refreshing-connection.ts";
import type { RotatingServer } from "./rotating-server.ts";

export interface IdleDays {
  readonly refreshes: number;
  /** Longest time in which some connection's refresh token was not used. */
  readonly longestGapMs: number;
  readonly mostPerMinute: number;
  readonly meanPerMinute: number;
}

/** Lets connections lie unused for so long, and tells what became of their refresh tokens. */
export async function passIdleDays(
  { clock }: Pick<TestContext, "clock">,
  ctx: EnvironmentContext,
  { server, count, lastsMs }: { server: RotatingServer; count: number; lastsMs: number },
): Promise<IdleDays> {
  // No new refresh token is given, so each request shows by its token whose it is.
  server.answerWith({ status: 200, body: { access_token: "next", expires_in: 3600 } });
  const startedMs = clock.now().getTime();
  const lastUse = new Map<string, number>();
  const { integration } = await prepareConnection(ctx, { ...server, expiresIn: 3600 });
  for (let index = 0; index < count; index += 1) {
    const refreshToken = randomUUID();
    lastUse.set(refreshToken, startedMs);
    await createConnection(ctx, {
      integration,
      connectionId: undefined,
      credentials: {
        type: "OAUTH2",
        access_token: "first",
        refresh_token: refreshToken,
        expires_at: addMs(clock.now(), 3600 * SECOND).toISOString(),
      },
      metadata: undefined,
      connectionConfig: undefined,
      tags: undefined,
      webhookUrlOverride: undefined,
    });
  }
  const perMinute = new Map<number, number>();
  let longestGapMs = 0;
  let seen = 0;
  const note = (): void => {
    const nowMs = clock.now().getTime();
    for (const token of server.requests.slice(seen)) {
      longestGapMs = Math.max(longestGapMs, nowMs - (lastUse.get(token) ?? nowMs));
      lastUse.set(token, nowMs);
      const minute = Math.floor(nowMs / MINUTE);
      perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
    }
    seen = server.requests.length;
  };
  const work = createIdleRefreshWork();
  const endMs = startedMs + lastsMs;
  for (;;) {
    const { claimed, nextDueAt } = await work.claim(ctx, () => {});
    await work.drain?.();
    note();
    if (claimed > 0) continue;
    const waitMs = (nextDueAt?.getTime() ?? Infinity) - clock.now().getTime();
    if (clock.now().getTime() + waitMs > endMs) break;
    clock.advance(Math.max(waitMs, 1));
  }
  for (const usedMs of lastUse.values()) longestGapMs = Math.max(longestGapMs, endMs - usedMs);
  return {
    refreshes: seen,
    longestGapMs,
    mostPerMinute: Math.max(0, ...perMinute.values()),
    meanPerMinute: (seen * MINUTE) / lastsMs,
  };
}
