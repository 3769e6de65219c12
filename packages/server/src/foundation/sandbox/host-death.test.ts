import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";

/** Starts a process with a sandbox in which one function loops and one process is idle. */
async function startHost(uid: number): Promise<ChildProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), "sandbox-host-"));
  chownSync(dataDir, uid, uid);
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const program = `
    const { createSandbox } = await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
    const sandbox = await createSandbox({ dataDir: ${JSON.stringify(dataDir)}, log() {} });
    const code = (body) => "const s = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };" +
      "module.exports = { default: { type: 'action', input: s, output: s, exec: async (svc) => { " + body + " } } }";
    const off = { input: "off", output: "off", records: "off", metadata: "off", checkpoint: "off" };
    const run = (id, body, onCall) => sandbox.run({ environmentId: id, connection: "c", bundle: { id, filename: "a/b.js", code: code(body) },
      facts: { kind: "action", functionName: "b", environmentName: "dev", environmentId: id, connectionId: "c", providerConfigKey: "a",
        provider: "p", variant: "base", operationId: "o", loggerLevel: "off", validation: off, outputLimitBytes: 1000 },
      timeoutMs: 600000, exclusive: true, onCall });
    await run("idle", "return 1", async () => ({ value: null }));
    await run("loop", "await svc.getEnvironmentVariables(); for (;;) {}", async () => { console.log("in"); return { value: [] }; });`;
  const host = spawn(
    process.execPath,
    ["--conditions=jackfield-source", "--input-type=module", "-e", program],
    { stdio: ["ignore", "pipe", "pipe"], ...(uid === OWN_UID ? {} : { uid, gid: uid }) },
  );
  host.stderr?.pipe(process.stderr);
  onTestFinished(() => {
    host.kill("SIGKILL");
  });
  if (host.stdout === null) throw new Error("no output");
  await once(createInterface(host.stdout), "line");
  return host;
}

function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children
    .split(" ")
    .filter((text) => text.trim() !== "")
    .map(Number)
    .flatMap((child) => [child, ...descendantsOf(child)]);
}

function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const OWN_UID = process.getuid?.() ?? 0;
const ORDINARY_UID = 64_322;
// Bubblewrap ends its child in another way where it may not change users.
const users = OWN_UID === 0 ? [OWN_UID, ORDINARY_UID] : [OWN_UID];

test.runIf(process.platform === "linux").each(users)(
  "kill -9 of the host leaves no function process, as user %i",
  async (uid) => {
    const host = await startHost(uid);
    const functions = descendantsOf(host.pid ?? 0);
    expect(functions.filter(isRunning).length).toBeGreaterThanOrEqual(2);

    host.kill("SIGKILL");

    await vi.waitFor(() => expect(functions.filter(isRunning)).toEqual([]), { timeout: 5000 });
  },
);
