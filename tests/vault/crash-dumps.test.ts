import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findSecrets } from "../canary/forms-of.ts";
import { commandLineArgs, forbidDumpsFile } from "../launcher/command-line-bundle.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";

// The server is started where a core file would be written: without a limit, in an empty folder.

const isLinux = process.platform === "linux";

const secrets = new Map([
  ["encryption key", randomBytes(32).toString("base64")],
  ["bootstrap key", crypto.randomUUID()],
  ["credential", `cnry-dump-${randomBytes(15).toString("hex")}`],
]);
const key = secrets.get("bootstrap key") ?? "";

interface Started extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly cwd: string;
  readonly output: () => string;
}

async function start(args: readonly string[], env: Record<string, string> = {}): Promise<Started> {
  const folder = await makeDataFolder();
  const cwd = join(folder.path, "cwd");
  await mkdir(cwd);
  const script = 'ulimit -c unlimited; exec "$@"';
  const child = spawn("/bin/sh", ["-c", script, "sh", process.execPath, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...{ SVC_PORT: "0", SVC_LOG_LEVEL: "warn" },
      ...{ SVC_DATA_DIR: join(folder.path, "data"), SVC_API_PROCESSES: "6" },
      SVC_ENCRYPTION_KEY: secrets.get("encryption key") ?? "",
      SVC_BOOTSTRAP_KEY: key,
      ...env,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return {
    child,
    cwd,
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit");
        child.kill("SIGTERM");
        await exited;
      }
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Of the process and all below it, by what they are called. */
async function listProcesses(parent: number): Promise<{ pid: number; command: string }[]> {
  const found = new Map<number, number[]>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const above = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    found.set(above, [...(found.get(above) ?? []), Number(name)]);
  }
  const below = (pid: number): number[] => [pid, ...(found.get(pid) ?? []).flatMap(below)];
  return await Promise.all(
    below(parent).map(async (pid) => ({
      pid,
      command: (await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")).replaceAll(
        "\0",
        " ",
      ),
    })),
  );
}

async function coreLimitOf(pid: number): Promise<string> {
  const limits = await readFile(`/proc/${pid}/limits`, "utf8");
  return /^Max core file size +(\S+) +(\S+)/m.exec(limits)?.slice(1).join(" ") ?? "unknown";
}

async function isGone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => " Z ");
  return / [ZX] /.test(stat);
}

describe.skipIf(!isLinux)("a server whose processes crash", () => {
  let platform: Started;
  let apiProcesses: number[];

  beforeAll(async () => {
    platform = await start([...commandLineArgs(), "start"], {
      NODE_OPTIONS: "--report-on-fatalerror --report-on-signal --report-uncaught-exception",
    });
    await vi.waitUntil(() => platform.output().includes("is ready at "), { timeout: 60_000 });
    const url = /is ready at (\S+)/.exec(platform.output())?.[1] ?? "";
    const send = async (path: string, body: object) =>
      await fetch(`${url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    await send("/integrations", { unique_key: "crm", provider: "private-api-bearer" });
    const credentials = {
      type: "API_KEY",
      apiKey: secrets.get("credential"),
    };
    await send("/connections", { provider_config_key: "crm", connection_id: "c", credentials });
    const all = await listProcesses(platform.child.pid ?? 0);
    apiProcesses = all
      .slice(1)
      .flatMap(({ pid, command }) => (/\bjackfield\.m?js\b/.test(command) ? [pid] : []));
  }, 90_000);
  afterAll(async () => await platform[Symbol.asyncDispose]());

  const findBackend = async (): Promise<number | undefined> => {
    const all = await listProcesses(platform.child.pid ?? 0);
    return all.findLast(({ command }) => /^postgres: .*checkpointer/.test(command))?.pid;
  };

  test("none of them may write a core file", async () => {
    const all = await listProcesses(platform.child.pid ?? 0);
    const limits = await Promise.all(
      all.map(async ({ pid, command }) => [command.slice(0, 40), await coreLimitOf(pid)]),
    );

    expect(apiProcesses.length).toBe(6);
    expect(limits.filter(([, limit]) => limit !== "0 0")).toEqual([]);
  });

  test.for(["SIGABRT", "SIGSEGV", "SIGQUIT", "SIGBUS", "SIGILL", "SIGUSR2"] as const)(
    "a process of the API that %s ends leaves nothing",
    async (signal) => {
      const pid = apiProcesses.shift() ?? 0;

      process.kill(pid, signal);

      await expect.poll(async () => await isGone(pid), { timeout: 10_000 }).toBe(true);
      expect(await readdir(platform.cwd)).toEqual([]);
    },
  );

  test("SIGUSR1 opens no debugger and ends nothing", async () => {
    process.kill(platform.child.pid ?? 0, "SIGUSR1");

    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(platform.output()).not.toContain("Debugger listening");
    expect(await isGone(platform.child.pid ?? 0)).toBe(false);
  });

  test.for(["SIGABRT", "SIGSEGV", "SIGQUIT"] as const)(
    "a process of the database that %s ends leaves nothing",
    async (signal) => {
      const files = async () =>
        (await readdir(join(platform.cwd, "../data"), { recursive: true })).filter((name) =>
          /(^|\/)(core|vgcore)(\.\d+)?$/.test(name),
        );
      // The others end with it, and are started again.
      const pid = await vi.waitUntil(findBackend, { timeout: 20_000, interval: 200 });

      process.kill(pid, signal);

      await expect.poll(async () => await isGone(pid), { timeout: 10_000 }).toBe(true);
      expect([...(await files()), ...(await readdir(platform.cwd))]).toEqual([]);
    },
  );

  test("the first process leaves nothing when it crashes, and none of them has printed a secret", async () => {
    const exited = once(platform.child, "exit");
    process.kill(platform.child.pid ?? 0, "SIGSEGV");
    await exited;

    expect(await readdir(platform.cwd)).toEqual([]);
    expect(findSecrets("output", platform.output(), secrets)).toEqual([]);
  });
});

const uncaught = (code: string): string[] => {
  // As by a handler of an event.
  const script = `
    import { forbidDumps } from ${JSON.stringify(forbidDumpsFile())};
    const secret = ${JSON.stringify(secrets.get("credential"))};
    forbidDumps();
    setTimeout(() => { ${code} }, 1);`;
  return ["--conditions=jackfield-source", "--input-type=module", "-e", script];
};

test.for([
  [
    "an error with a request",
    "throw Object.assign(new Error('no'), { headers: { authorization: secret } });",
  ],
  ["an error with a cause", "throw new Error('no', { cause: { token: secret } });"],
  [
    "an error with a row",
    "throw Object.assign(new Error('duplicate key'), { detail: secret, row: [secret] });",
  ],
  ["an error with a bearer token in its text", "throw new Error('refused Bearer ' + secret);"],
  [
    "an error with a password in an address",
    "throw new Error('postgres://me:' + secret + '@db.example/x');",
  ],
  [
    "an error with a token in a query",
    "throw new Error('https://a.example/?access_token=' + secret);",
  ],
  ["an error with JSON in its text", "throw new Error(JSON.stringify({ refresh_token: secret }));"],
  ["no error at all", "throw { token: secret };"],
  [
    "a promise that nobody awaits",
    "Promise.reject(Object.assign(new Error('no'), { body: secret }));",
  ],
  ["a promise rejected with no error", "Promise.reject({ password: secret });"],
  ["an error of errors", "throw new AggregateError([new Error('token=' + secret)], 'many');"],
  [
    "an error with a form in its text",
    "throw new Error('sent grant_type=x&client_secret=' + secret + '&scope=a');",
  ],
  [
    "an error with a Basic header in its text",
    "throw new Error('Authorization: Basic ' + Buffer.from('me:' + secret).toString('base64'));",
  ],
  ["an error with a cookie in its text", "throw new Error('Set-Cookie: session=' + secret);"],
  [
    "an error with a header of an API key in its text",
    "throw new Error('refused: X-Api-Key: ' + secret);",
  ],
  [
    "an error with a request in its text",
    "throw new Error(JSON.stringify({ headers: { 'x-auth-token': secret }, body: '' }));",
  ],
  [
    "an error with escaped JSON in its text",
    "throw new Error(JSON.stringify(JSON.stringify({ access_token: secret })));",
  ],
  [
    "an error with a private key in its text",
    "throw new Error('-----BEGIN PRIVATE KEY-----\\n' + secret + '\\n-----END PRIVATE KEY-----');",
  ],
  [
    "an error with a getter",
    "throw Object.defineProperty(new Error('no'), 'config', { get: () => secret, enumerable: true });",
  ],
  [
    "an error of a class with its own inspection",
    "throw Object.assign(new Error('no'), { [Symbol.for('nodejs.util.inspect.custom')]: () => secret });",
  ],
  ["a warning turned into an error", "process.emit('uncaughtException', { key: secret });"],
  ["bytes", "throw Buffer.from(secret);"],
])("what nothing catches is printed without its secret: %s", async ([, code = ""]) => {
  await using platform = await start(uncaught(code), {
    SVC_API_PROCESSES: "1",
    NODE_OPTIONS: "--report-uncaught-exception --report-on-fatalerror",
  });

  const [code2] = await once(platform.child, "exit");

  expect(code2).toBe(1);
  expect(platform.output()).toContain("nothing caught");
  expect(findSecrets("output", platform.output(), secrets)).toEqual([]);
  expect(await readdir(platform.cwd)).toEqual([]);
});
