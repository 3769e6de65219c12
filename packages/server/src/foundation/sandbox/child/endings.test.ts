import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { failureOf, newRun, outputOf, startSandbox } from "../testing/sandbox-fixture.ts";
import type { SandboxRun } from "../types.ts";

const BUSY_LOOP = "for (;;) {}";

test("a busy loop is ended at its time limit", async () => {
  const sandbox = await startSandbox();

  const run = newRun(BUSY_LOOP, { timeoutMs: 400 });

  expect(await failureOf(sandbox, run)).toBe("function_runtime_timed_out");
});

test("a heap bomb ends its own process only", async () => {
  const sandbox = await startSandbox({ heapMb: 64 });
  const isIn = Promise.withResolvers<void>();
  const bystander = outputOf(
    sandbox,
    newRun("await svc.getEnvironmentVariables(); return 'fine';", {
      environmentId: "env-2",
      onCall: async () => {
        await isIn.promise;
        return { value: [] };
      },
    }),
  );

  const bomb = newRun("const all = []; for (;;) all.push(new Array(1000).fill(all.length));");
  const failure = await failureOf(sandbox, bomb);
  isIn.resolve();

  expect(failure).toBe("function_runtime_out_of_memory");
  expect(await bystander).toBe("fine");
});

test("a bomb of buffers, outside the heap, fails as well", async () => {
  const sandbox = await startSandbox({ heapMb: 64 });

  const bomb = newRun("const all = []; for (;;) all.push(Buffer.alloc(20e6, 1));");

  expect(["script_internal_error", "function_runtime_out_of_memory"]).toContain(
    await failureOf(sandbox, bomb),
  );
});

test("a function that tries to exit fails", async () => {
  const sandbox = await startSandbox();

  expect(await failureOf(sandbox, newRun("process.exit(0);"))).toBe("script_internal_error");
});

test("an unhandled rejection fails its run, and the next run gets a new process", async () => {
  const sandbox = await startSandbox();
  const stray = newRun("Promise.reject(new Error('stray')); await new Promise(() => {});");

  expect(await failureOf(sandbox, stray)).toBe("script_internal_error");
  expect(await outputOf(sandbox, newRun("return 1;"))).toBe(1);
});

test("a cancelled busy loop ends within 5 s", async () => {
  const sandbox = await startSandbox();
  const cancel = new AbortController();
  const run = newRun(`await svc.getEnvironmentVariables(); ${BUSY_LOOP}`, {
    signal: cancel.signal,
    onCall: async () => {
      setImmediate(() => cancel.abort());
      return { value: [] };
    },
  });

  const started = performance.now();

  expect(await failureOf(sandbox, run)).toBe("script_aborted");
  expect(performance.now() - started).toBeLessThan(5000);
});

test("a run that is cancelled before it has a process never gets one", async () => {
  const sandbox = await startSandbox({ memoryMb: 200 });
  const cancel = new AbortController();
  const isIn = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holder = outputOf(
    sandbox,
    newRun("await svc.getEnvironmentVariables(); return 1;", {
      onCall: async () => {
        isIn.resolve();
        await isHeld.promise;
        return { value: [] };
      },
    }),
  );
  await isIn.promise;
  const waiting = newRun("return 2;", { environmentId: "env-2", signal: cancel.signal });
  const failure = failureOf(sandbox, waiting);

  cancel.abort();

  expect(await failure).toBe("script_aborted");
  isHeld.resolve();
  expect(await holder).toBe(1);
});

test("siblings of a killed run are repeated unless they had sent a change", async () => {
  const sandbox = await startSandbox();
  const allAreIn = Promise.withResolvers<void>();
  let calls = 0;
  // One body for all, so that the runs share a process; the input says which part each plays.
  const body = `
    if (input === "write") await svc.post({ endpoint: "/things", data: {} });
    else await svc.getEnvironmentVariables();
    if (input === "loop") for (;;) {}
    await svc.getMetadata();
    return input;`;
  const part = (name: string, timeoutMs = 20_000): SandboxRun =>
    newRun(body, {
      input: Buffer.from(JSON.stringify(name)),
      timeoutMs,
      onCall: async (call) => {
        if (call.method === "getConnection") return { value: { metadata: {} } };
        calls += 1;
        if (calls === 3) allAreIn.resolve();
        await allAreIn.promise;
        const value = { status: 200, statusText: "OK", headers: {} };
        return { value: call.method === "proxy" ? value : [] };
      },
    });

  const [looped, read, written] = await Promise.all([
    failureOf(sandbox, part("loop", 1000)),
    outputOf(sandbox, part("read")),
    failureOf(sandbox, part("write")),
  ]);

  expect(looped).toBe("function_runtime_timed_out");
  expect(read).toBe("read");
  // It may have got through before the loop blocked the process: its answer then counts.
  expect(["function_runtime_other", 'done: "write"']).toContain(written);
});

test("disposing ends running functions", async () => {
  const sandbox = await startSandbox();
  const isIn = Promise.withResolvers<void>();
  const failure = failureOf(
    sandbox,
    newRun(`await svc.getEnvironmentVariables(); ${BUSY_LOOP}`, {
      onCall: async () => {
        isIn.resolve();
        return { value: [] };
      },
    }),
  );
  await isIn.promise;

  await sandbox[Symbol.asyncDispose]();

  expect(await failure).toBe("script_aborted");
  expect(sandbox.describe().children).toBe(0);
});

test("a process that is still starting ends with the sandbox", async () => {
  for (let round = 0; round < 15; round += 1) {
    const sandbox = await startSandbox();
    // The first bundle that is loaded makes the pool start a spare process.
    await outputOf(sandbox, newRun("return 1;"));

    await sandbox[Symbol.asyncDispose]();

    expect(sandbox.describe().children).toBe(0);
  }
});

test("where no process can be started, nothing has run and the run may be tried again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "unstartable-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const sandbox = await startSandbox({ dataDir: folder });
  await rm(join(folder, "cache"), { recursive: true });

  expect(await failureOf(sandbox, newRun("return 1;"))).toBe("overloaded");
});
