import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnvironmentContext } from "#foundation";
import { ServerStates } from "#foundation";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { getConnectionByUuid } from "./read/get-connection.ts";
import { finishRefreshes, getFreshCredentials } from "./refresh/get-fresh-credentials.ts";
import { prepareConnection } from "./testing/refreshing-connection.ts";
import { startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let ctx: EnvironmentContext;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
});
afterAll(async () => await installation[Symbol.asyncDispose]());

const CALLERS = 10;

/** Three processes of the installation, whose callers wait at most so long. */
function threeProcesses(refreshPatienceMs: number): EnvironmentContext[] {
  const settings = { ...ctx.settings, refreshPatienceMs };
  return [1, 2, 3].map(() => ({
    ...ctx,
    settings,
    state: new ServerStates(),
  }));
}

test.each([
  ["sooner than callers lose patience", 20_000, "access-1"],
  ["later than that", 200, "refresh_in_progress"],
])(
  "an authorization server that answers %s is asked once, and its answer kept",
  async (_case, patienceMs, reported) => {
    await using server = await startRotatingServer({ expiresIn: 3600 });
    const prepared = await prepareConnection(ctx, { ...server, expiresIn: -1 });
    const processes = threeProcesses(patienceMs);
    const { arrived, release } = server.hold();

    const calls = processes.flatMap((process) =>
      Array.from({ length: CALLERS }, async () => {
        const fetching = getFreshCredentials(process, { ...prepared, force: false });
        return await fetching.then(
          ({ credentials }) => credentials["access_token"],
          (error: { code?: string }) => error.code,
        );
      }),
    );
    await arrived;
    if (patienceMs > 1000) release();
    const answers = await Promise.all(calls);
    release();
    for (const process of processes) await finishRefreshes(process);
    const connection = await getConnectionByUuid(ctx, prepared.connection.uuid);
    const next = await getFreshCredentials(ctx, { ...prepared, connection, force: false });

    expect(new Set(answers)).toEqual(new Set([reported]));
    expect(answers).toHaveLength(3 * CALLERS);
    expect(next.credentials["access_token"]).toBe("access-1");
    expect(server.requests).toEqual(["refresh-0"]);
    expect(server.mostAtOnce).toBe(1);
  },
);
