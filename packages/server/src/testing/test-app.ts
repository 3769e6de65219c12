import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerRuntimeCalls } from "#functions";
import { ensureLogPartitions } from "#logs";
import type { EnvironmentContext, HookAnswer, Settings, SystemContext } from "#platform";
import { createHttpServer } from "#platform/http";
import { createSandbox } from "#platform/sandbox";
import { createTestContext, type TestContext, type TestContextOptions } from "#platform/testing";
import { allOf, type RuntimeHandlers, type Slice } from "#slice";

/** A request of a test, before it has a context. */
export interface TestCall {
  readonly request: FastifyRequest;
  readonly route: RouteDefinition;
  readonly signal: AbortSignal;
  readonly reply: FastifyReply;
}

export interface TestAppOptions extends Omit<TestContextOptions, "hooks" | "sandbox"> {
  /** Only these have their routes served and answer running functions. */
  readonly slices: readonly Slice[];
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
export interface TestApp extends TestContext {
  readonly server: FastifyInstance;
  /** Resolves to the address on loopback. */
  listen(): Promise<string>;
}

/** One app for a test file, of the slices that it is about. Dispose it in afterAll. */
export async function testApp(options: TestAppOptions): Promise<TestApp> {
  await using stack = new AsyncDisposableStack();
  const { slices, runtime = {}, hooks = [], settings = {}, caller, ...rest } = options;
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
  const server = await createHttpServer({
    routes: allOf(slices, "routes"),
    authorize: async (request, route, signal, reply) =>
      caller === undefined
        ? { ...made.ctx, signal }
        : await caller({ request, route, signal, reply }, made),
    bodyLimitBytes: made.ctx.settings.bodyLimitBytes,
    log: made.ctx.log,
    clock: made.clock,
    newErrorId: randomUUID,
  });
  stack.defer(async () => await server.close());
  const running = stack.move();
  return {
    ...made,
    server,
    async listen() {
      await server.listen({ host: "127.0.0.1", port: 0 });
      return `http://127.0.0.1:${asTcpAddress(server.server.address()).port}`;
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

async function openSandbox(stack: AsyncDisposableStack) {
  const dataDir = await mkdtemp(join(tmpdir(), "jackfield-app-"));
  stack.defer(async () => await rm(dataDir, { recursive: true, force: true }));
  return stack.use(await createSandbox({ dataDir, log: () => {} }));
}

// It listens on a port, not on a socket file.
function asTcpAddress(address: AddressInfo | string | null): AddressInfo {
  return address as AddressInfo;
}
