import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { countRecords } from "#records";
import { listRuns } from "./testing/index.ts";
import {
  connection,
  ctx,
  deploy,
  readStatus,
  runQueued,
  trigger,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

// Promises J1 and J4: a function's process is killed again and again while it saves pages and checkpoints.

const PAGES = 120;
const PAGE = 20;
const KILLS = 20;
/** Pages that a run saves before it is killed; a few more, and it waits for that. */
const STRIDE = 3;

const source = `
  const pageOf = (page) =>
    Array.from({ length: ${PAGE} }, (_, n) => ({ id: page + "-" + n, text: "x".repeat(page) }));`;

const incremental = (until = `${PAGES}`) => `${source}
  const { page: first } = (await svc.getCheckpoint()) ?? { page: 0 };
  for (let page = first; page < ${until}; page += 1) {
    await svc.batchSave(pageOf(page), "Contact");
    await svc.saveCheckpoint({ page: page + 1 });
  }`;

const unfinished = `${incremental(`first + ${STRIDE + 3}`)} await new Promise(() => {});`;

/** Saves all there is, and deletes what is stored next to it. */
const whole = `${source}
  await svc.trackDeletesStart("Contact");
  for (let page = 0; page < ${PAGES}; page += 1) await svc.batchSave(pageOf(page), "Contact");
  await svc.trackDeletesEnd("Contact");`;

async function run(body?: string): Promise<void> {
  if (body !== undefined) await deploy(body);
  await trigger();
  await runQueued();
}

async function countStored(): Promise<number> {
  return (await countRecords(ctx, { connections: [connection.uuid] }))[0]?.count ?? 0;
}

/** All processes below this one: the function's, what confines it, spare ones, and those of test files before this. */
function listDescendants(processId = process.pid): number[] {
  const tasks = readdirSync(`/proc/${processId}/task`);
  return tasks.flatMap((task) => {
    const text = readFileSync(`/proc/${processId}/task/${task}/children`, "utf8");
    const children = text.split(" ").filter(Boolean).map(Number);
    return children.flatMap((child) => [child, ...listDescendants(child)]);
  });
}

const ofOthers = new Set(listDescendants());

/** The bundler's process serves all files that come after this one. */
function isBundler(processId: number): boolean {
  return readFileSync(`/proc/${processId}/cmdline`, "utf8").includes("esbuild");
}

function killFunctions(): void {
  for (const processId of listDescendants().filter((id) => !ofOthers.has(id))) {
    try {
      if (!isBundler(processId)) process.kill(processId, "SIGKILL");
    } catch (error) {
      const isGone =
        error instanceof Error && "code" in error && /ESRCH|ENOENT/.test(String(error.code));
      if (!isGone) throw error;
    }
  }
}

interface Counts {
  added: number;
  updated: number;
  unchanged: number;
  deleted: number;
}

async function sumCounts(): Promise<Counts> {
  const sum = { added: 0, updated: 0, unchanged: 0, deleted: 0 };
  for (const { result } of await listRuns(ctx)) {
    const counts = result?.["Contact"];
    for (const kind of ["added", "updated", "unchanged", "deleted"] as const) {
      sum[kind] += counts?.[kind] ?? 0;
    }
  }
  return sum;
}

test.runIf(process.platform === "linux")(
  "a function that is killed again and again loses no record and repeats at most a page each time",
  async () => {
    await deploy(unfinished);
    let kills = 0;
    // Of runs that were given to a process that the kill before had hit, too: they end before they save anything.
    let unstarted = 0;
    while (kills < KILLS) {
      const before = await countStored();
      await trigger();
      let hasEnded = false;
      const running = runQueued().finally(() => {
        hasEnded = true;
      });
      while (!hasEnded && (await countStored()) < before + STRIDE * PAGE);
      if (hasEnded) unstarted += 1;
      else kills += 1;
      killFunctions();
      await running;
    }
    const states = (await listRuns(ctx)).map(({ state }) => state);
    await run(incremental());
    const afterKills = await sumCounts();
    await run();
    const afterSecond = await sumCounts();
    await run(whole);
    const { added, updated, deleted } = await sumCounts();

    expect(states.filter((state) => state === "failed")).toHaveLength(KILLS + unstarted);
    expect(unstarted).toBeLessThan(KILLS / 4);
    expect(afterKills).toMatchObject({ added: PAGES * PAGE, updated: 0, deleted: 0 });
    expect(afterKills.unchanged).toBeLessThanOrEqual(KILLS * PAGE);
    expect(afterSecond).toEqual(afterKills);
    expect({ added, updated, deleted }).toEqual({ added: PAGES * PAGE, updated: 0, deleted: 0 });
    expect(await countStored()).toBe(PAGES * PAGE);
  },
  120_000,
);

test("a checkpoint that lies ahead of all there is gives no records and no error (J4)", async () => {
  await run(`await svc.saveCheckpoint({ page: ${PAGES + 1000} });`);
  await run(incremental());

  expect(await countStored()).toBe(0);
  expect((await readStatus()).status).toBe("SUCCESS");
});
