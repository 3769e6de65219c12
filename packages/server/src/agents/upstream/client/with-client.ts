import { createRequire } from "node:module";
import {
  Client,
  type ElicitRequestParams,
  type ElicitResult,
  type jsonSchemaValidator,
  type PriorDiscovery,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { LRUCache } from "lru-cache";
import { type EnvironmentContext, HOUR, MINUTE, serverState } from "#foundation";
import { type Door, openDoor, type UpstreamServer } from "./door.ts";

const { version } = createRequire(import.meta.url)("../../../../package.json");

export interface ClientUse {
  /** Whose calls share a session of an earlier revision: an agent's session, or the server's own look at the list. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Answers what a server of an earlier revision asks in the middle of a call; undefined: it may ask nothing. */
  readonly onAsked?: ((asked: ElicitRequestParams) => Promise<ElicitResult>) | undefined;
  /** The server says that its list has changed. */
  readonly onListChanged?: () => void;
}

export interface OpenClient {
  readonly client: Client;
  readonly door: Door;
}

/** What has come may still have to be read. */
const AFTER_END_MS = 100;

// Schemas of strangers are not compiled: a pattern may take any time, and a wrong output is theirs to have.
const acceptsAll = { getValidator: () => (value: unknown) => ({ valid: true, data: value }) };

/**
 * Does some work with a client of the protocol: 2026-07-28 first, then what the server speaks, which is remembered. A
 * session that the server has lost is begun again, once.
 */
export async function withClient<Result>(
  ctx: EnvironmentContext,
  server: UpstreamServer,
  use: ClientUse,
  work: (open: OpenClient) => Promise<Result>,
): Promise<Result> {
  const { eras, sessions } = upstreamMemory.of(ctx);
  const keys = { session: `${eraKeyOf(server)} ${use.owner}`, era: eraKeyOf(server) };
  const wasKnown = sessions.has(keys.session) || eras.has(keys.era);
  try {
    return await attempt(ctx, server, { ...use, keys }, work);
  } catch (error) {
    // What is refused so has done nothing: what was remembered of the server holds no more.
    const isOutdated = error instanceof SdkHttpError && outdated.has(error.status);
    if (!wasKnown || !isOutdated) throw error;
    sessions.delete(keys.session);
    eras.delete(keys.era);
    return await attempt(ctx, server, { ...use, keys }, work);
  }
}

/** A session is lost (404), or a revision is not spoken any more. */
const outdated: ReadonlySet<number> = new Set([400, 404, 405]);

function eraKeyOf({ connection, url }: UpstreamServer): string {
  return `${connection.uuid} ${url.href}`;
}

interface Keys {
  readonly session: string;
  readonly era: string;
}

async function attempt<Result>(
  ctx: EnvironmentContext,
  server: UpstreamServer,
  { keys, signal, onAsked, onListChanged }: ClientUse & { readonly keys: Keys },
  work: (open: OpenClient) => Promise<Result>,
): Promise<Result> {
  const { eras, sessions } = upstreamMemory.of(ctx);
  const known = sessions.get(keys.session);
  let isOver = false;
  const door = openDoor(ctx, server, { signal, onEnded: (id) => settle(id) });
  const transport = new StreamableHTTPClientTransport(server.url, {
    ...{ fetch: door.fetch, onInsufficientScope: "throw", ...known },
    requestInit: { redirect: "error" },
    reconnectionOptions: {
      ...{ maxRetries: 0, initialReconnectionDelay: 0, maxReconnectionDelay: 0 },
      reconnectionDelayGrowFactor: 1,
    },
  });
  const client = new Client(
    { name: "jackfield", version },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode: "auto" },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: asValidator(acceptsAll),
    },
  );
  client.onerror = (error) => ctx.log.debug("agents.upstream_failed", { reason: error.message });
  if (onAsked !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => await onAsked(params));
  }
  client.setNotificationHandler("notifications/tools/list_changed", () => onListChanged?.());
  try {
    const prior = eras.get(keys.era);
    const options = { signal: door.signal, timeout: ctx.settings.mcpLimits.callMs };
    await client.connect(transport, {
      ...options,
      ...(prior === undefined ? {} : { prior }),
    });
    remember();
    return await work({ client, door });
  } finally {
    isOver = true;
    await client.close();
  }

  // Clients of earlier revisions would wait on for what a stream has not brought by its end.
  function settle(id: string | number): void {
    const error = { code: -32_000, message: "The answer ended without a result." };
    const timer = setTimeout(() => {
      if (!isOver) transport.onmessage?.({ jsonrpc: "2.0", id, error });
    }, AFTER_END_MS);
    timer.unref();
  }

  function remember(): void {
    const discover = client.getDiscoverResult();
    eras.set(keys.era, discover === undefined ? { kind: "legacy" } : { kind: "modern", discover });
    const { sessionId } = transport;
    const protocolVersion = client.getNegotiatedProtocolVersion();
    if (sessionId === undefined || protocolVersion === undefined || known !== undefined) return;
    sessions.set(keys.session, { sessionId, protocolVersion });
  }
}

// The library's type promises a value of the schema's type, which nobody here relies on.
function asValidator(validator: unknown): jsonSchemaValidator {
  return validator as jsonSchemaValidator;
}

/** A session of an earlier revision, as its server knows it. */
interface LegacySession {
  readonly sessionId: string;
  readonly protocolVersion: string;
}

/** What is known of servers from earlier calls: never more than a call could find out again. */
const upstreamMemory = serverState(() => ({
  /** Which revisions a server speaks to a connection; a server may be upgraded. */
  eras: new LRUCache<string, PriorDiscovery>({ max: 2000, ttl: HOUR }),
  sessions: new LRUCache<string, LegacySession>({ max: 5000, ttl: 30 * MINUTE }),
}));
