import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { Agent, get, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { StartFailure, startPlatformProcess } from "../launcher/platform-process.ts";
import {
  addConnection,
  addIntegration,
  callHeaders,
  send,
  startPlatform,
  startUpstream,
} from "./proxied-api.ts";

const PATIENT = { timeout: 20_000, interval: 20 };

const isLinux = process.platform === "linux";
const two = { SVC_API_PROCESSES: "2", SVC_LOG_LEVEL: "error" };

/** A call that meets a process on its way may never be answered. */
async function fetchSoon(url: string): Promise<Response> {
  return await fetch(url, { signal: AbortSignal.timeout(2000) });
}

test.runIf(isLinux)(
  "processes share the port, replace each other and end with their first",
  async () => {
    await using stack = new AsyncDisposableStack();
    const held: ServerResponse[] = [];
    const upstreamUrl = await startUpstream(stack, (request, response) => {
      if (request.url !== "/held") return void response.end("ok");
      response.write("first half, ");
      held.push(response);
    });
    const platform = await startPlatform(stack, two);
    await addIntegration(platform, upstreamUrl);
    const connectionId = await addConnection(platform);
    const open = async (path: string): Promise<IncomingMessage> => {
      const agent = new Agent();
      const call = get(`${platform.url}/proxy${path}`, {
        agent,
        headers: callHeaders(connectionId),
      });
      const [answer] = await once(call, "response");
      return answer;
    };
    const statusOf = async (path: string): Promise<number | undefined> => {
      const answer = await open(path);
      answer.resume();
      return answer.statusCode;
    };

    const firstProcesses = listApiProcesses(platform.processId);
    const [victim = 0] = firstProcesses;
    process.kill(victim, "SIGKILL");
    await vi.waitUntil(() => {
      const now = listApiProcesses(platform.processId);
      return now.length === 2 && !now.includes(victim);
    }, PATIENT);
    const afterKill = await Promise.all(
      Array.from({ length: 8 }, async () => await statusOf("/x")),
    );
    const open8 = await Promise.all(Array.from({ length: 8 }, async () => await open("/held")));
    const stopping = platform.stop();
    await vi.waitUntil(
      async () => (await fetchSoon(`${platform.url}/ready`).catch(() => undefined))?.ok !== true,
      PATIENT,
    );
    for (const response of held) response.end("second half");
    const bodies = await Promise.all(open8.map(async (answer) => await text(answer)));
    const exitCode = await stopping;

    expect(firstProcesses).toHaveLength(2);
    expect(afterKill).toEqual(Array(8).fill(200));
    expect(bodies).toEqual(Array(8).fill("first half, second half"));
    expect(exitCode).toBe(0);
    expect(listApiProcesses(platform.processId)).toEqual([]);
  },
  60_000,
);

test.runIf(isLinux)(
  "a deleted connection fails within a second in every process of the port",
  async () => {
    await using stack = new AsyncDisposableStack();
    const upstreamUrl = await startUpstream(stack, (_request, response) => response.end("ok"));
    const platform = await startPlatform(stack, two);
    await addIntegration(platform, upstreamUrl);
    const connectionId = await addConnection(platform);
    const callAll = async (): Promise<number[]> => {
      const calls = Array.from({ length: 8 }, async () => {
        // Each call opens a connection, and each process gets some of them.
        const call = get(`${platform.url}/proxy/x`, {
          agent: new Agent(),
          headers: callHeaders(connectionId),
        });
        const [answer] = await once(call, "response");
        return answer.resume().statusCode;
      });
      return await Promise.all(calls);
    };

    const before = await callAll();
    await send(platform, "DELETE", `/connections/${connectionId}?provider_config_key=api`);
    const since = performance.now();
    let after: number[] = [];
    for (let isLate = false; !isLate && (after.length === 0 || after.includes(200)); ) {
      isLate = performance.now() - since >= 1000;
      after = await callAll();
    }

    expect(before).toEqual(Array(8).fill(200));
    expect(after).toEqual(Array(8).fill(400));
  },
  60_000,
);

test("a start fails with the reason when a process cannot take the port", async () => {
  await using stack = new AsyncDisposableStack();
  const taken = new URL(await startUpstream(stack, (_request, response) => response.end())).port;
  const folder = stack.use(await makeDataFolder());
  const env = { ...two, ...(await useDatabase(stack)), SVC_PORT: taken };

  const start = startPlatformProcess({ dataDir: folder.path, env });

  const failure = await start.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartFailure);
  expect(String(failure)).toContain(`Port ${taken} of `);
}, 60_000);

/** Starts faster than with a database of the server's own. */
async function useDatabase(stack: AsyncDisposableStack) {
  const { connectionString } = stack.use(await createServerDatabase());
  const key = randomBytes(32).toString("base64");
  return { SVC_DATABASE_URL: connectionString, SVC_ENCRYPTION_KEY: key };
}

/** Children that run what their parent runs. */
function listApiProcesses(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter(
      (id) =>
        read(id, "stat")
          .replace(/^.*\) /s, "")
          .split(" ")[1] === String(parent),
    )
    .filter((id) => /jackfield\.m?js\0start/.test(read(id, "cmdline")))
    .map(Number);
}

function read(id: string, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, "latin1");
  } catch {
    return "";
  }
}
