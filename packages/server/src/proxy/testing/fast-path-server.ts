import { randomUUID } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { getCachedConnectionForCall, getFreshCredentials } from "#connections";
import { authenticateKey, createApiKey } from "#environments";
import type { EnvironmentContext, Notices } from "#foundation";
import { openCaches } from "#foundation/cache";
import { type FastPathOptions, withFastPath } from "../fast-path.ts";
import type { Prepared } from "./proxy-under-test.ts";

export interface FastPathServer extends AsyncDisposable {
  readonly port: number;
  readonly key: string;
  /** First lines of the requests that did not take the fast path. */
  readonly passedOn: string[];
  /** Another key of the environment, as if it had just been used. */
  addKey(scopes: string[]): Promise<string>;
  /** All is at hand for calls over this connection. */
  warm(prepared: Prepared): Promise<void>;
  /** The row has changed, as its trigger announces it. */
  announce(row: string): void;
}

/** The fast path alone; requests that do not qualify get 599. */
export async function startFastPath(
  ctx: EnvironmentContext,
  options: FastPathOptions = {},
): Promise<FastPathServer> {
  let wake: (detail?: string) => void = () => undefined;
  const notices: Notices = {
    isListening: true,
    heardUntil: Number.POSITIVE_INFINITY,
    wake: () => undefined,
    catchUp: async () => true,
    subscribe(_name, subscriber) {
      wake = subscriber;
      return { [Symbol.dispose]() {} };
    },
  };
  const caches = openCaches({ state: ctx.state, notices });
  const { id: environmentId, accountId } = ctx.environment;
  const addKey = async (scopes: string[]) => {
    const displayName = randomUUID();
    const added = await createApiKey(ctx, { accountId, environmentId, displayName, scopes });
    await authenticateKey(ctx, added);
    return added;
  };
  const key = await addKey(["environment:proxy"]);
  const passedOn: string[] = [];
  const next: RequestListener = ({ method, url }, response) => {
    passedOn.push(`${method} ${url}`);
    response.writeHead(599).end();
  };
  const server = createServer(withFastPath(ctx, next, options));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    key,
    addKey,
    passedOn,
    async warm({ integration, connection }) {
      await authenticateKey(ctx, key);
      const { connectionId } = connection;
      const found = await getCachedConnectionForCall(ctx, {
        integrationKey: integration.uniqueKey,
        connectionId,
      });
      await getFreshCredentials(ctx, { ...found, force: false });
    },
    announce: (row) => wake(row),
    async [Symbol.asyncDispose]() {
      caches[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
