import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  AppError,
  createLogger,
  type EnvironmentContext,
  MINUTE,
  SECOND,
  ServerStates,
} from "#foundation";
import { createEgress } from "#foundation/egress";
import { createTestContext, type TestContext } from "#foundation/testing";
import { ensureLogPartitions } from "#logs";
import { getConnectionByUuid } from "./read/get-connection.ts";
import { getFreshCredentials } from "./refresh/get-fresh-credentials.ts";
import { guardHosts } from "./refresh/host-breaker.ts";
import { type Prepared, prepareConnection } from "./testing/refreshing-connection.ts";
import { startRotatingServer } from "./testing/rotating-server.ts";

let installation: TestContext;
let ctx: EnvironmentContext;

beforeAll(async () => {
  installation = await createTestContext();
  ctx = installation.ctx;
  await ensureLogPartitions(ctx);
});
afterAll(async () => await installation[Symbol.asyncDispose]());

/** The same installation as another process sees it: nothing in memory is shared. */
function anotherProcess(): EnvironmentContext {
  return { ...ctx, state: new ServerStates() };
}

async function fetchNow(process: EnvironmentContext, prepared: Prepared, force = false) {
  const connection = await getConnectionByUuid(ctx, prepared.connection.uuid);
  return await getFreshCredentials(process, { ...prepared, connection, force });
}

test("an authorization server that is down is asked by few, in three processes with 20 connections", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const prepared = await Promise.all(
    Array.from({ length: 20 }, () => prepareConnection(ctx, { ...server, expiresIn: -1 })),
  );
  const processes = [anotherProcess(), anotherProcess(), anotherProcess()];
  server.answerWith({ status: 503, body: "" });
  const codes = new Set<string>();

  for (let second = 0; second < 300; second += 10) {
    for (const [index, each] of prepared.entries()) {
      const process = processes[index % 3] ?? ctx;
      await fetchNow(process, each).catch((error: { code: string }) => codes.add(error.code));
    }
    installation.clock.advance(10 * SECOND);
  }

  expect(codes).toEqual(new Set(["connection_refresh_backoff"]));
  // Five failures open each process's breaker; then one probe after 30, 60, 120 s.
  expect(server.requests.length).toBeLessThanOrEqual(3 * (5 + 4));
});

test("connections of a server that is back recover when the pause ends, and a forced one at once", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const down = await Promise.all(
    Array.from({ length: 6 }, () => prepareConnection(ctx, { ...server, expiresIn: -1 })),
  );
  const [first, second, third] = down;
  if (first === undefined || second === undefined || third === undefined) throw new Error("none");
  server.answerWith({ status: 503, body: "" });
  for (const each of down) await fetchNow(ctx, each).catch(() => undefined);
  const beforeReturn = server.requests.length;
  server.answerWith({ status: 200, body: { access_token: "back", expires_in: 3600 } });

  await expect(fetchNow(ctx, second)).rejects.toMatchObject({ code: "connection_refresh_backoff" });
  const forced = await fetchNow(ctx, first, true);
  installation.clock.advance(MINUTE);
  const later = await fetchNow(ctx, third);

  expect(beforeReturn).toBe(5);
  expect(forced.credentials["access_token"]).toBe("back");
  expect(later.credentials["access_token"]).toBe("back");
});

test("when the pause ends one goes first, and the others follow as soon as it has an answer", async () => {
  await using server = await startRotatingServer({ expiresIn: 3600 });
  const down = await Promise.all(
    Array.from({ length: 10 }, () => prepareConnection(ctx, { ...server, expiresIn: -1 })),
  );
  server.answerWith({ status: 503, body: "" });
  for (const each of down) await fetchNow(ctx, each).catch(() => undefined);
  server.answerWith({ status: 200, body: { access_token: "back", expires_in: 3600 } });
  installation.clock.advance(MINUTE);
  const { arrived, release } = server.hold();

  const answers = Promise.all(down.map((each) => fetchNow(ctx, each)));
  await arrived;
  const asked = server.requests.length;
  release();

  expect(asked).toBe(5 + 1);
  for (const { credentials } of await answers) expect(credentials["access_token"]).toBe("back");
});

test("a server that is down does not stop another one", async () => {
  await using down = await startRotatingServer({ expiresIn: 3600 });
  await using up = await startRotatingServer({ expiresIn: 3600 });
  down.answerWith({ status: 500, body: "" });
  for (let count = 0; count < 6; count += 1) {
    const prepared = await prepareConnection(ctx, { ...down, expiresIn: -1 });
    await fetchNow(ctx, prepared).catch(() => undefined);
  }

  const { credentials } = await fetchNow(
    ctx,
    await prepareConnection(ctx, { ...up, expiresIn: -1 }),
  );

  expect(credentials["access_token"]).toBe("access-1");
});

test("what is refused on our side says nothing of the host, and a host that cannot be reached is paused", async () => {
  const refusals = { ours: "destination_not_allowed", theirs: "upstream_unreachable" } as const;
  const asked: string[] = [];
  const ask = async (name: keyof typeof refusals) => {
    const request = async () => {
      asked.push(name);
      throw new AppError(refusals[name]);
    };
    const guarded = guardHosts({ ...ctx, http: { ...ctx.http, request } }, { force: false });
    const call = { method: "POST", url: `https://${name}.example/token` };
    await guarded.request({ ...call, timeoutMs: SECOND, maxResponseBytes: 100 }).catch(() => {});
  };

  for (const _time of [1, 2, 3, 4, 5, 6, 7]) {
    await ask("ours");
    await ask("theirs");
  }

  expect(asked.filter((name) => name === "ours")).toHaveLength(7);
  expect(asked.filter((name) => name === "theirs")).toHaveLength(5);
});

test("the first request after a pause that is refused on our side leaves its turn to the next one", async () => {
  const { clock } = installation;
  const state = new ServerStates();
  const ask = async (code: "destination_not_allowed" | "upstream_unreachable") => {
    let wasSent = false;
    const request = async () => {
      wasSent = true;
      throw new AppError(code);
    };
    const guarded = guardHosts({ ...ctx, state, http: { ...ctx.http, request } }, { force: false });
    const call = { method: "POST", url: "https://paused.example/token" };
    await guarded.request({ ...call, timeoutMs: SECOND, maxResponseBytes: 100 }).catch(() => {});
    return wasSent;
  };
  for (const _time of [1, 2, 3, 4, 5]) await ask("upstream_unreachable");
  const paused = await ask("upstream_unreachable");
  clock.advance(10 * MINUTE);

  const [first, second] = [
    await ask("destination_not_allowed"),
    await ask("destination_not_allowed"),
  ];

  expect([paused, first, second]).toEqual([false, true, true]);
});

test("hosts that fail are forgotten when there are too many of them", async () => {
  let asked = 0;
  const down = createServer((_request, response) => {
    asked += 1;
    response.writeHead(503, { connection: "close" }).end();
  });
  down.listen(0, "127.0.0.1");
  await once(down, "listening");
  await using http = createEgress({
    allow: ["127.0.0.0/8"],
    log: createLogger("silent"),
    lookup: (_host, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]),
  });
  const guarded = guardHosts({ ...anotherProcess(), http }, { force: false });
  const ask = async (host: string) => {
    const url = `http://${host}.example:${toPort(down.address())}/`;
    const call = { method: "POST", url, timeoutMs: 10 * SECOND, maxResponseBytes: 100 };
    return await guarded.request(call).then(({ status }) => status, String);
  };

  for (const _time of [1, 2, 3, 4, 5]) await ask("first");
  const paused = await ask("first");
  for (let n = 0; n < 1000; n += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`host-${n + index}`)));
  }
  const forgotten = await ask("first");
  down.close();

  expect([paused, forgotten]).toEqual([expect.stringContaining("in a row"), 503]);
  expect(asked).toBe(1006);
});

function toPort(address: ReturnType<Server["address"]>): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}
