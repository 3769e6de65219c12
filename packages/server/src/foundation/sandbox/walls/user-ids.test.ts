import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { claimUserIds, type UserIdRange, type UserIds } from "./user-ids.ts";

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;
/** Away from what servers of this machine use. */
const range: UserIdRange = { first: 1_950_000_000, count: 240 };

async function claim(of = range): Promise<UserIds> {
  const ids = await claimUserIds(of);
  onTestFinished(() => ids[Symbol.dispose]());
  return ids;
}

function takeAll(ids: UserIds): number[] {
  const all: number[] = [];
  for (let uid = ids.take(); uid !== undefined; uid = ids.take()) all.push(uid);
  return all;
}

/** As another server on the machine. */
async function claimElsewhere(): Promise<number> {
  const module = JSON.stringify(new URL("./user-ids.ts", import.meta.url).href);
  const program = `const { claimUserIds } = await import(${module});
    const ids = await claimUserIds(${JSON.stringify(range)});
    console.log(ids.take()); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.pipe(process.stderr);
  onTestFinished(() => void child.kill("SIGKILL"));
  const [chunk] = await once(child.stdout, "data");
  return Number(String(chunk));
}

test.runIf(isLinux)("no two holders have a user id in common", async () => {
  const [first, second] = [await claim(), await claim()];
  const other = await claimElsewhere();

  const [mine, its] = [takeAll(first), takeAll(second)];
  expect(new Set([...mine, ...its, other]).size).toBe(mine.length + its.length + 1);
  for (const uid of [...mine, ...its, other]) {
    expect(uid).toBeGreaterThanOrEqual(range.first);
    expect(uid).toBeLessThan(range.first + range.count);
  }
  expect(mine).not.toContain(first.scripted.first);
});

test.runIf(isLinux)("when every part is claimed, one is shared rather than none", async () => {
  await Promise.all(Array.from({ length: 4 }, () => claim()));

  const uid = (await claim()).take() ?? 0;

  expect(uid).toBeGreaterThanOrEqual(range.first);
  expect(uid).toBeLessThan(range.first + range.count);
});

test.runIf(isLinux)("a part that is given back can be claimed again", async () => {
  for (let round = 0; round < 8; round += 1) {
    (await claimUserIds(range))[Symbol.dispose]();
    await new Promise(setImmediate);
  }
});

test.runIf(isLinux)("a user id comes back when the others are used up, not before", async () => {
  const ids = await claim();
  const all = takeAll(ids);
  const [first = 0, second = 0] = all;

  ids.release(second);
  ids.release(first);

  expect([ids.take(), ids.take(), ids.take()]).toEqual([second, first, undefined]);
});

test.runIf(isLinux && isRoot)("a user id stays away while a process has it", async () => {
  const ids = await claim();
  const [uid = 0] = takeAll(ids);
  const child: ChildProcess = spawn("sleep", ["1000"], { uid, gid: uid });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  ids.release(uid);

  expect(ids.take()).toBeUndefined();
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(ids.take()).toBe(uid);
});
