import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { newRun, startSandbox } from "../testing/sandbox-fixture.ts";
import { openFunctionGroups } from "./function-groups.ts";
import { ProcessGroup } from "./process-group.ts";

const OWN = "system.slice/jackfield.service/server";
const MEMORY = 512 * 1024 * 1024;

interface Tree {
  readonly mount: string;
  readonly membership: string;
  /** What systemd gives to the service. */
  readonly delegated: string;
}

/** Files as those of cgroup v2 below a service of systemd with `DelegateSubgroup=server`. */
function makeTree(given: { path?: string; controllers?: string } = {}): Tree {
  const { path = `/${OWN}`, controllers = "cpu memory pids" } = given;
  const mount = mkdtempSync(join(tmpdir(), "cgroup-"));
  onTestFinished(() => rmSync(mount, { recursive: true, force: true }));
  const delegated = join(mount, OWN, "..");
  mkdirSync(join(mount, OWN), { recursive: true });
  writeFileSync(join(delegated, "cgroup.controllers"), `${controllers}\n`);
  for (const name of ["cgroup.procs", "cgroup.subtree_control"]) {
    writeFileSync(join(delegated, name), "");
  }
  const membership = join(mount, "membership");
  writeFileSync(membership, `0::${path}\n`);
  return { mount, membership, delegated };
}

const wanted = { memoryBytes: MEMORY, tasks: 72, log: () => {} };
const read = (...parts: string[]) => readFileSync(join(...parts), "utf8");

test("each process gets a group below what was delegated, with its limits, and starts in it", async (context) => {
  requireLinux(context);
  const { delegated, ...tree } = makeTree();

  const opened = await openFunctionGroups({ ...wanted, ...tree });

  const groups = "groups" in opened ? opened.groups : undefined;
  const [one, two] = [groups?.open(), groups?.open()];
  const folder = join(delegated, `functions-${process.pid}`);
  expect(one?.folder.startsWith(folder)).toBe(true);
  expect(two?.folder).not.toBe(one?.folder);
  expect(read(delegated, "cgroup.subtree_control")).toBe("+memory +pids");
  expect(read(folder, "cgroup.subtree_control")).toBe("+memory +pids");
  expect(read(one?.folder ?? "", "memory.max")).toBe(String(MEMORY));
  expect(read(one?.folder ?? "", "pids.max")).toBe("72");
  const [shell = "", ...rest] = [...(one?.enter ?? []), "/bin/sh", "-c", "echo $$"];
  const { stdout } = spawnSync(shell, rest, { encoding: "utf8" });
  expect(read(one?.folder ?? "", "cgroup.procs")).toBe(stdout);
});

test.for<[when: string, given: { path?: string; controllers?: string }, reason: RegExp]>([
  [
    "the server is in no subgroup of its own",
    { path: "/system.slice/jackfield.service" },
    /no cgroup was delegated/,
  ],
  ["it is in the root of a container", { path: "/" }, /no cgroup was delegated/],
  ["another subgroup", { path: "/system.slice/other.service/main" }, /no cgroup was delegated/],
  ["a controller is missing", { controllers: "cpu pids" }, /lacks the controllers memory$/],
  ["there is no cgroup v2", { path: "/elsewhere/server" }, /ENOENT/],
])("there are no groups, with the reason, when %s", async ([, given, reason], context) => {
  requireLinux(context);
  const { mount, membership } = makeTree(given);

  const opened = await openFunctionGroups({ ...wanted, mount, membership });

  expect("reason" in opened ? opened.reason : "").toMatch(reason);
});

test("functions run in groups, and the host reports what it gives", async (context) => {
  requireLinux(context);
  const { delegated, mount, membership } = makeTree();
  const lines: unknown[] = [];
  const sandbox = await startSandbox({
    cgroups: { mount, membership },
    log: (event, fields) => lines.push({ event, ...fields }),
  });

  const outcome = await sandbox.run(newRun("return 1;"));

  expect(outcome.kind).toBe("done");
  expect(sandbox.describe()).toMatchObject({ limits: "cgroup" });
  expect(sandbox.describe().limitsReason).toBeUndefined();
  expect(lines).toContainEqual(
    expect.objectContaining({ event: "sandbox.isolation", limits: "cgroup" }),
  );
  const folder = join(delegated, `functions-${process.pid}`);
  const limits = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => read(folder, name, "memory.max"));
  expect(limits).toContain(String((256 + 400) * 1024 * 1024));
});

test("without delegation functions run all the same, and the reason is reported", async () => {
  const { mount, membership } = makeTree({ path: "/" });

  const sandbox = await startSandbox({ cgroups: { mount, membership } });

  expect((await sandbox.run(newRun("return 1;"))).kind).toBe("done");
  expect(sandbox.describe()).toMatchObject({ limits: "process", limitsReason: expect.any(String) });
});

test("a group that cannot be made leaves the process its other limits, and is logged", async (context) => {
  requireLinux(context);
  const { delegated, ...tree } = makeTree();
  const events: string[] = [];
  const opened = await openFunctionGroups({
    ...{ ...wanted, ...tree },
    log: (event) => events.push(event),
  });
  rmSync(join(delegated, `functions-${process.pid}`), { recursive: true });

  const group = "groups" in opened ? opened.groups.open() : null;

  expect(group).toBeUndefined();
  expect(events).toEqual(["sandbox.group_failed"]);
});

test("groups of servers that are gone are removed at a start, those of others stay", async (context) => {
  requireLinux(context);
  const { delegated, ...tree } = makeTree();
  const gone = spawnSync("true").pid;
  mkdirSync(join(delegated, `functions-${gone}`, "1"), { recursive: true });
  mkdirSync(join(delegated, `functions-${process.ppid}`));

  await openFunctionGroups({ ...wanted, ...tree });

  expect(existsSync(join(delegated, `functions-${gone}`))).toBe(false);
  expect(existsSync(join(delegated, `functions-${process.ppid}`))).toBe(true);
});

test("a process of the kernel's cgroup v2 starts in its group and ends with it", async (context) => {
  const mount = findMount(context);
  const folder = join(mount, `jackfield-test-${process.pid}`);
  const group = new ProcessGroup(folder, {});
  const [shell = "", ...rest] = [...group.enter, "/bin/sh", "-c", "sleep 600 & wait"];
  const child = spawn(shell, rest, { stdio: "ignore" });
  const ended = once(child, "exit");
  await expect.poll(() => read(folder, "cgroup.procs").split("\n").length).toBeGreaterThan(2);

  expect(read(folder, "cgroup.procs").split("\n")).toContain(String(child.pid));
  await group.remove();

  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(existsSync(folder)).toBe(false);
});

test("the kernel ends what exceeds the memory or the tasks of its group", async (context) => {
  const mount = findMount(context);
  if (!/memory.*pids/s.test(read(mount, "cgroup.subtree_control"))) {
    context.skip("not run: cgroup v2 has no controllers of memory and tasks here");
  }
  const base = join(mount, `jackfield-test-${process.pid}`);
  mkdirSync(join(base, "server"), { recursive: true });
  onTestFinished(() => rmdirSync(base));
  onTestFinished(() => rmdirSync(join(base, "server")));
  const membership = join(mkdtempSync(join(tmpdir(), "membership-")), "cgroup");
  writeFileSync(membership, `0::/jackfield-test-${process.pid}/server\n`);
  const given = { ...wanted, memoryBytes: 64 * 1024 * 1024, tasks: 8, mount, membership };
  const opened = await openFunctionGroups(given);
  if (!("groups" in opened)) throw new Error(opened.reason);
  const { groups } = opened;
  onTestFinished(async () => await groups[Symbol.asyncDispose]());
  const runIn = (program: string, ...parameters: string[]) => {
    const group = groups.open();
    const [shell = "", ...rest] = [...(group?.enter ?? []), program, ...parameters];
    const outcome = spawnSync(shell, rest, { encoding: "utf8" });
    if (group !== undefined) groups.close(group);
    return outcome;
  };

  const eater = "const kept = []; for (;;) kept.push(Buffer.alloc(1e6, 1));";
  const forker = "for n in 1 2 3 4 5 6 7 8 9; do sleep 1 & done; wait";
  expect(runIn(process.execPath, "-e", eater).signal).toBe("SIGKILL");
  expect(runIn("/bin/sh", "-c", forker).stderr).toMatch(/fork/i);
});

function requireLinux(context: TestContext): void {
  if (process.platform !== "linux") context.skip("not run: cgroups are Linux's");
}

/** Where this machine has cgroup v2, if its user may make groups. */
function findMount(context: TestContext): string {
  requireLinux(context);
  const mount = /^\S+ (\S+) cgroup2 /m.exec(read("/proc/mounts"))?.[1];
  if (mount === undefined) return context.skip("not run: cgroup v2 is not mounted");
  try {
    accessSync(join(mount, "cgroup.procs"), constants.W_OK);
    return mount;
  } catch {
    return context.skip("not run: its user may make no cgroups");
  }
}
