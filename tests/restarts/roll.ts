import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { findFreePort } from "../start-program.ts";

/** Requests a second that continue while processes are restarted. */
const RATE = 100;

/** Two processes of one installation, each on a port that it keeps over restarts. */
export interface Fleet {
  readonly key: string;
  readonly urls: readonly string[];
  /**
   * Stops and starts one after the other, as a deployment does: the next when the balancer has seen that the last is
   * back. Resolves to their exit codes.
   */
  roll(untilBack?: () => Promise<unknown>): Promise<readonly (number | null)[]>;
}

export async function startFleet(stack: AsyncDisposableStack): Promise<Fleet> {
  const database = stack.use(await createServerDatabase());
  const key = randomUUID();
  const members = await Promise.all(
    [0, 1].map(async () => {
      const folder = stack.use(await makeDataFolder());
      return { dataDir: folder.path, port: await findFreePort() };
    }),
  );
  const [, second] = members;
  const keyFile = Buffer.alloc(32, 7).toString("base64");
  const start = async ({ dataDir, port }: { dataDir: string; port: number }) =>
    await startPlatformProcess({
      dataDir,
      env: {
        SVC_DATABASE_URL: database.connectionString,
        SVC_BOOTSTRAP_KEY: key,
        SVC_ENCRYPTION_KEY: keyFile,
        SVC_PORT: String(port),
        SVC_DRAIN_SECONDS: "1",
      },
    });
  if (second === undefined) throw new Error("there are two");
  const processes: PlatformProcess[] = [];
  for (const member of members) processes.push(await start(member));
  stack.defer(async () => void (await Promise.all(processes.map((process) => process.stop()))));
  return {
    key,
    urls: processes.map(({ url }) => url),
    async roll(untilBack = async () => {}) {
      const codes: (number | null)[] = [];
      for (const [at, member] of members.entries()) {
        codes.push((await processes[at]?.stop()) ?? null);
        processes[at] = await start(member);
        await untilBack();
      }
      return codes;
    },
  };
}

export interface Load {
  /** Requests so far. */
  readonly sent: number;
  /** Resolves when the last answer is there. */
  stop(): Promise<LoadFacts>;
}

interface LoadFacts {
  readonly sent: number;
  readonly failures: readonly string[];
}

/** Reads and writes at an even rate over connections that are kept alive. */
export function startLoad(url: string, key: string): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const failures: string[] = [];
  const calls: Promise<void>[] = [];
  const timer = setInterval(() => {
    const isWrite = calls.length % 2 === 0;
    calls.push(
      call(agent, { url, key, isWrite }).then(
        (status) => void (status < 300 || failures.push(`${isWrite ? "POST" : "GET"} ${status}`)),
        (error: Error) => void failures.push(`${isWrite ? "POST" : "GET"} ${error.message}`),
      ),
    );
  }, 1000 / RATE);
  return {
    get sent() {
      return calls.length;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(calls);
      agent.destroy();
      return { sent: calls.length, failures };
    },
  };
}

interface Call {
  readonly url: string;
  readonly key: string;
  readonly isWrite: boolean;
}

/** Resolves to the status of a whole answer. */
async function call(agent: Agent, { url, key, isWrite }: Call): Promise<number> {
  const body = isWrite ? JSON.stringify({ tags: { end_user_id: "one" } }) : "";
  return await new Promise((resolve, reject) => {
    const sent = request(`${url}${isWrite ? "/connect/sessions" : "/integrations"}`, {
      agent,
      method: isWrite ? "POST" : "GET",
      headers: {
        authorization: `Bearer ${key}`,
        ...(isWrite ? { "content-type": "application/json", "content-length": body.length } : {}),
      },
    });
    sent.on("error", reject);
    sent.on("response", (answer) => {
      answer.on("error", reject).resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.end(body);
  });
}
