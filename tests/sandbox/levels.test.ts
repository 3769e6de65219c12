import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { requireTool } from "../require-tool.ts";

const ORDINARY_UID = 64_321;
const ENDS_WITHIN_MS = 50_000;
const isRoot = process.getuid?.() === 0;
const asOrdinary = isRoot
  ? ["setpriv", `--reuid=${ORDINARY_UID}`, `--regid=${ORDINARY_UID}`, "--clear-groups"]
  : [];
/** A user namespace in which no further one may be made, as on hosts that forbid them. */
const withoutNamespaces = [
  ...["unshare", "-U", "-r", "sh", "-c"],
  `echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all "$@"`,
  "sh",
];
const withoutSystemRights = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"];

interface Reported {
  readonly level?: string;
  readonly reason?: string;
  readonly output?: unknown;
  readonly error?: string;
}

/** Starts a sandbox in a process of such a host, and runs a function in it. */
function describeOn(wrapper: readonly string[], options: object = {}): Reported {
  const dataDir = mkdtempSync(join(tmpdir(), "levels-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  chmodSync(dataDir, 0o755);
  if (isRoot && wrapper.includes(`--reuid=${ORDINARY_UID}`)) {
    chownSync(dataDir, ORDINARY_UID, ORDINARY_UID);
  }
  const at = (file: string) =>
    new URL(`../../packages/server/src/foundation/sandbox/${file}`, import.meta.url).href;
  const program = `
    const { createSandbox } = await import(${JSON.stringify(at("index.ts"))});
    const { newFacts } = await import(${JSON.stringify(at("testing/test-facts.ts"))});
    const options = { dataDir: ${JSON.stringify(dataDir)}, log() {}, ...${JSON.stringify(options)} };
    const sandbox = await createSandbox(options).catch((error) => {
      console.log(JSON.stringify({ error: error.message }));
      process.exit(0);
    });
    const schema = "{ safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) }";
    const code = "const schema = " + schema + "; module.exports = { default: { type: 'action', input: schema, output: schema," +
      " exec: async () => ({ rss: process.memoryUsage().rss, zone: Intl.DateTimeFormat().resolvedOptions().timeZone }) } };";
    const outcome = await sandbox.run({ environmentId: "one", bundle: { id: "one", filename: "a/b.js", code }, facts: newFacts(),
      timeoutMs: 60000, exclusive: true, onCall: async () => ({ value: null }) });
    const output = outcome.kind === "done" ? JSON.parse(Buffer.from(outcome.output).toString()) : outcome;
    console.log(JSON.stringify({ ...sandbox.describe(), output }));
    await sandbox[Symbol.asyncDispose]();`;
  const node = [
    process.execPath,
    "--conditions=jackfield-source",
    "--input-type=module",
    "-e",
    program,
  ];
  const [command = "", ...rest] = [...wrapper, ...node];
  const zone = { TZ: "America/Santiago" };
  const { stdout, stderr } = spawnSync(command, rest, {
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", ...zone },
    // The limit of the test does not interrupt it.
    ...{ timeout: ENDS_WITHIN_MS, killSignal: "SIGKILL" },
  });
  if (stdout.length === 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

function requireLinux(context: TestContext): void {
  if (process.platform !== "linux") context.skip("not run: the levels are Linux's");
  for (const tool of ["bwrap", "unshare", "setpriv", "prlimit", "mount"] as const)
    requireTool(tool, context);
}

const works = { rss: expect.any(Number), zone: "America/Santiago" };

test("an ordinary user gets the highest level where namespaces are allowed", (context) => {
  requireLinux(context);

  const reported = describeOn(asOrdinary);

  expect(reported).toMatchObject({ level: "sealed", output: works });
  expect(reported.reason).toBeUndefined();
});

test("an ordinary user without namespaces gets a note, and strict refuses", (context) => {
  requireLinux(context);

  const reported = describeOn([...asOrdinary, ...withoutNamespaces]);
  const strict = describeOn([...asOrdinary, ...withoutNamespaces], { strict: true });

  expect(reported).toMatchObject({ level: "permissions", output: works });
  expect(reported.reason).toMatch(/sealed: \S.*; private-root: \S.*; namespaces: \S/);
  expect(strict.error).toMatch(/cannot have namespaces and a root of their own here \(sealed: /);
});

test("root without rights over the system gives each process a user", (context) => {
  requireLinux(context);
  if (!isRoot) context.skip("not run: needs root");

  const reported = describeOn(withoutSystemRights);
  const strict = describeOn(withoutSystemRights, { strict: true });

  expect(reported).toMatchObject({ level: "users", output: works });
  expect(reported.reason).toMatch(/sealed: \S.*; private-root: \S.*; namespaces: \S/);
  expect(strict.error).toMatch(/start without the strict sandbox/);
});

test("root gets the highest level, with user ids of the given range", (context) => {
  requireLinux(context);
  if (!isRoot) context.skip("not run: needs root");

  const reported = describeOn([], { strict: true, userIds: { first: 1_960_000_000, count: 64 } });

  expect(reported).toMatchObject({ level: "sealed", output: works });
});
