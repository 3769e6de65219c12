import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { EnvironmentContext, SystemContext } from "#foundation";
import {
  createHttpServer,
  type Idempotency,
  type NameAliases,
  type ServedRoute,
} from "#foundation/http";

/** A request of a test, before it has a context. */
export interface TestCall {
  readonly request: FastifyRequest;
  readonly route: RouteDefinition;
  readonly signal: AbortSignal;
  readonly reply: FastifyReply;
}

export interface TestServerOptions {
  readonly routes: readonly ServedRoute[];
  /** The context that a request gets; the given one unless given. */
  readonly caller?: ((call: TestCall) => Promise<SystemContext | EnvironmentContext>) | undefined;
  /** That of the context's settings unless given. */
  readonly bodyLimitBytes?: number;
  readonly idempotency?: Idempotency;
  readonly aliases?: NameAliases | undefined;
}

export interface TestServer extends AsyncDisposable {
  readonly server: FastifyInstance;
  /** Resolves to the address on loopback. */
  listen(): Promise<string>;
}

/** Routes over a context that a test has; what is open is closed with it. */
export async function testServer(
  ctx: EnvironmentContext,
  { caller, bodyLimitBytes = ctx.settings.bodyLimitBytes, ...rest }: TestServerOptions,
): Promise<TestServer> {
  const server = await createHttpServer({
    ...rest,
    authorize: async (request, route, signal, reply) =>
      caller === undefined ? { ...ctx, signal } : await caller({ request, route, signal, reply }),
    bodyLimitBytes,
    log: ctx.log,
    clock: ctx.clock,
    newErrorId: randomUUID,
  });
  return {
    server,
    async listen() {
      await server.listen({ host: "127.0.0.1", port: 0 });
      return `http://127.0.0.1:${asTcpAddress(server.server.address()).port}`;
    },
    async [Symbol.asyncDispose]() {
      server.server.closeAllConnections();
      await server.close();
    },
  };
}

// It listens on a port, not on a socket file.
function asTcpAddress(address: AddressInfo | string | null): AddressInfo {
  return address as AddressInfo;
}
