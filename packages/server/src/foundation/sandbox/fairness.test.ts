import { expect, test } from "vitest";
import { newRun, outputOf, startSandbox } from "./testing/sandbox-fixture.ts";
import type { Sandbox, SandboxOutcome, SandboxRun } from "./types.ts";

/** Waits until the host lets it continue. */
const WAITS = "await svc.getEnvironmentVariables(); return 1;";
/** Of ten processes, as is usual. */
const TEN = { memoryMb: 10 * 192, heapMb: 256 };

interface Flood {
  /** How many have started. */
  started(): number;
  /** Lets them continue, and resolves when all are over. */
  end(): Promise<SandboxOutcome[]>;
}

/** Runs of one environment that hold what they get until the test lets them go. */
function flood(
  sandbox: Sandbox,
  count: number,
  change: (nth: number) => Partial<SandboxRun>,
): Flood {
  const gate = Promise.withResolvers<void>();
  let started = 0;
  const onCall = async () => {
    started += 1;
    await gate.promise;
    return { value: [] };
  };
  const runs = Array.from({ length: count }, async (_, nth) =>
    sandbox.run(
      newRun(`${WAITS} /* ${nth} */`, {
        environmentId: "greedy",
        timeoutMs: 120_000,
        onCall,
        ...change(nth),
      }),
    ),
  );
  return {
    started: () => started,
    end: async () => {
      gate.resolve();
      return await Promise.all(runs);
    },
  };
}

const other = (change: Partial<SandboxRun> = {}) =>
  newRun("return 'served';", { environmentId: "other", ...change });

test("actions of one environment that hold all they may leave processes to another's", async () => {
  const sandbox = await startSandbox(TEN);
  const greedy = flood(sandbox, 30, () => ({}));
  await expect.poll(greedy.started, { timeout: 20_000 }).toBe(8);

  const outputs = [
    await outputOf(sandbox, other()),
    await outputOf(sandbox, other({ exclusive: true })),
    await outputOf(sandbox, newRun("return 'served';", { environmentId: "third" })),
  ];

  expect(outputs).toEqual(["served", "served", "served"]);
  expect(greedy.started()).toBe(8);
  await greedy.end();
}, 60_000);

test("syncs of one environment leave processes to its own actions, and to another's syncs and actions", async () => {
  const sandbox = await startSandbox(TEN);
  const greedy = flood(sandbox, 22, () => ({ exclusive: true }));
  await expect.poll(greedy.started, { timeout: 20_000 }).toBe(7);

  const own = await outputOf(sandbox, other({ environmentId: "greedy" }));
  const sync = flood(sandbox, 1, () => ({ exclusive: true, environmentId: "other" }));
  await expect.poll(sync.started, { timeout: 20_000 }).toBe(1);
  const action = await outputOf(sandbox, other());

  expect([own, action, greedy.started()]).toEqual(["served", "served", 7]);
  await Promise.all([greedy.end(), sync.end()]);
}, 60_000);

test("what has waited long for one environment's share holds nobody else back", async () => {
  const sandbox = await startSandbox({ memoryMb: 3 * 192, heapMb: 256 });
  const greedy = flood(sandbox, 6, (nth) => ({ exclusive: nth % 2 === 0 }));
  await expect.poll(greedy.started, { timeout: 20_000 }).toBe(2);
  const warm = flood(sandbox, 1, () => ({ environmentId: "other" }));
  await expect.poll(warm.started, { timeout: 20_000 }).toBe(1);
  // Longer than a run may wait before younger ones of its environment stand behind it.
  await new Promise((resolve) => setTimeout(resolve, 2100));

  // The very bundle that runs: it joins the process of its own environment.
  const joining = flood(sandbox, 1, () => ({ environmentId: "other" }));
  await expect.poll(joining.started, { timeout: 20_000 }).toBe(1);

  await Promise.all([greedy.end(), warm.end(), joining.end()]);
}, 60_000);

test("a process that becomes free goes to the environment that has the fewest", async () => {
  const sandbox = await startSandbox({ memoryMb: 3 * 192, heapMb: 256 });
  const order: string[] = [];
  const first = flood(sandbox, 2, () => ({}));
  await expect.poll(first.started, { timeout: 20_000 }).toBe(2);
  const holder = flood(sandbox, 1, () => ({ environmentId: "holder" }));
  await expect.poll(holder.started, { timeout: 20_000 }).toBe(1);

  const waiting = ["greedy", "greedy", "holder", "new"].map(async (environmentId, nth) => {
    await sandbox.run(newRun(`return ${nth};`, { environmentId, exclusive: true }));
    order.push(environmentId);
  });
  await holder.end();
  await expect.poll(() => order).toHaveLength(2);
  await first.end();
  await Promise.all(waiting);

  expect(order.slice(0, 2).toSorted()).toEqual(["holder", "new"]);
}, 60_000);

test("nested runs of one environment leave processes of their depth to another's", async () => {
  const sandbox = await startSandbox(TEN);
  const greedy = flood(sandbox, 10, () => ({ depth: 1 }));
  await expect.poll(greedy.started, { timeout: 20_000 }).toBe(2);

  expect(await outputOf(sandbox, other({ depth: 1 }))).toBe("served");
  await greedy.end();
}, 60_000);

test("an environment that has too many waiting runs gets an error at once that says why", async () => {
  const sandbox = await startSandbox({ memoryMb: 3 * 192, heapMb: 256 });
  const greedy = flood(sandbox, 2, () => ({}));
  await expect.poll(greedy.started, { timeout: 20_000 }).toBe(2);
  // Two of them join the processes that run.
  const waiting = flood(sandbox, 1002, () => ({ startTimeoutMs: 60_000 }));

  const refused = await sandbox.run(
    newRun("", { environmentId: "greedy", startTimeoutMs: 60_000 }),
  );
  const late = await sandbox.run(
    newRun("return 2", { environmentId: "new", startTimeoutMs: 60_000 }),
  );

  expect(refused).toMatchObject({ kind: "failed", error: { type: "overloaded" } });
  expect(late.kind).toBe("done");
  await sandbox[Symbol.asyncDispose]();
  await Promise.all([greedy.end(), waiting.end()]);
}, 60_000);

test("a share of 1 lets one environment have all processes", async () => {
  const sandbox = await startSandbox({ ...TEN, environmentShare: 1 });
  const greedy = flood(sandbox, 12, () => ({}));

  await expect.poll(greedy.started, { timeout: 20_000 }).toBe(10);
  await greedy.end();
}, 60_000);
