import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EnvironmentContext, HookAnswer, Settings, SystemContext } from "#foundation";
import type { ServedRoute } from "#foundation/http";
import { createSandbox } from "#foundation/sandbox";
import { seedRunnerFile } from "#foundation/sandbox/testing";
import { createTestContext, type TestContext, type TestContextOptions } from "#foundation/testing";
import { answerRuntimeCalls } from "#functions";
import { ensureLogPartitions } from "#logs";
import { allOf, type RuntimeHandlers, type Slice } from "#slice";
import { type TestCall, type TestServer, testServer } from "./test-server.ts";

export interface TestAppOptions extends Omit<TestContextOptions, "hooks" | "sandbox"> {
  /** Only these have their routes served and answer running functions. */
  readonly slices: readonly Slice[];
  /** Routes beyond those of the slices. */
  readonly routes?: readonly ServedRoute[];
  /** In place of what the slices answer running functions with, or beyond it. */
  readonly runtime?: Partial<RuntimeHandlers>;
  readonly hooks?: readonly HookAnswer<EnvironmentContext>[];
  /** Functions run in a sandbox of the test's own; false unless given. */
  readonly runsFunctions?: boolean;
  readonly settings?: Partial<Settings>;
  /** The context that a request gets; that of the first environment unless given. */
  readonly caller?: (
    call: TestCall,
    app: TestContext,
  ) => Promise<SystemContext | EnvironmentContext>;
}

/** Some slices over a database of their own, with their routes. */
export interface TestApp extends TestContext, TestServer {}

/** One app for a test file, of the slices that it is about. Dispose it in afterAll. */
export async function testApp(options: TestAppOptions): Promise<TestApp> {
  await using stack = new AsyncDisposableStack();
  const { slices, routes = [], runtime = {}, hooks = [], settings = {}, caller, ...rest } = options;
  const sandbox = options.runsFunctions === true ? await openSandbox(stack) : undefined;
  const handlers = [...slices.map((slice) => slice.runtime ?? {}), runtime];
  const made = await createTestContext({
    ...rest,
    ...(sandbox === undefined ? {} : { sandbox }),
    settings,
    hooks: [answerRuntimeCalls(handlers), ...hooks],
  });
  stack.use(made);
  await ensureLogPartitions(made.ctx);
  const { server, listen } = stack.use(
    await testServer(made.ctx, {
      routes: [...allOf(slices, "routes"), ...routes],
      caller: caller && (async (call) => await caller(call, made)),
    }),
  );
  const running = stack.move();
  return {
    ...made,
    server,
    listen,
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

async function openSandbox(stack: AsyncDisposableStack) {
  const dataDir = await mkdtemp(join(tmpdir(), "jackfield-app-"));
  stack.defer(async () => await rm(dataDir, { recursive: true, force: true }));
  await seedRunnerFile(dataDir);
  return stack.use(await createSandbox({ dataDir, log: () => {} }));
}
