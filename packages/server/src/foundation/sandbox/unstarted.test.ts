import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { choosePlan } from "./launch/choose-plan.ts";
import { launch, startIn } from "./launch/launch.ts";
import { prepareRunnerFile } from "./launch/runner-file.ts";
import { Pool } from "./pool/pool.ts";
import { newRun } from "./testing/sandbox-fixture.ts";

const heapMb = 64;
const endsAtOnce = { program: "false", files: [], descriptors: [], wrap: () => [] };

/** A pool whose first processes end before they are ready. */
async function startPool(failures: number): Promise<Pool> {
  const dataDir = mkdtempSync(join(tmpdir(), "unstarted-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const { plan } = await choosePlan({
    ...{ dataDir, heapMb },
    runnerFile: await prepareRunnerFile(dataDir),
  });
  let started = 0;
  const pool = new Pool({
    ...{ maxChildren: 1, maxIdle: 0, surplusMs: 1000, heapMb, log() {} },
    launch() {
      started += 1;
      return started <= failures ? startIn({}, endsAtOnce, []) : launch(plan, { heapMb });
    },
  });
  onTestFinished(async () => await pool.close());
  return pool;
}

test("a run whose process ends before it is ready gets another one", async () => {
  const pool = await startPool(1);

  expect(await pool.run(newRun("return 1"))).toMatchObject({ kind: "done" });
});

test("where none starts the run fails, and says that no code ran", async () => {
  const pool = await startPool(2);

  const outcome = await pool.run(newRun("return 1"));

  expect(outcome).toMatchObject({ kind: "failed", error: { type: "overloaded" } });
  expect(outcome).toMatchObject({ error: { message: expect.stringContaining("no code ran") } });
  expect(await pool.run(newRun("return 2"))).toMatchObject({ kind: "done" });
});
