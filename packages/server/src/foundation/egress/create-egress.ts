import { isIP, type LookupFunction, type Socket } from "node:net";
import { Agent, type Dispatcher, Pool } from "undici";
import { AppError } from "../errors.ts";
import type { Logger } from "../logger/index.ts";
import { type AddressPolicy, createAddressPolicy, isLocalhostName } from "./address-policy.ts";
import type { Egress, EgressRequest, EgressResponse } from "./egress.ts";
import {
  createGuardedConnect,
  destinationNotAllowed,
  type GuardedConnectOptions,
  isAllowedLiteral,
} from "./guarded-connect.ts";
import { GuardedSocket } from "./guarded-socket.ts";
import { sendRequest } from "./send-request.ts";
import { createServerNotes } from "./server-notes.ts";

export interface EgressOptions {
  /** `SVC_EGRESS_ALLOW`: CIDR ranges, addresses, hosts and `*.suffix`. */
  readonly allow: readonly string[];
  /** Single origins that are opened besides, such as `http://127.0.0.1:4010`; more may come while it is in use. */
  readonly origins?: ReadonlySet<string>;
  readonly log: Logger;
  /** The system's resolver unless given. */
  readonly lookup?: LookupFunction;
  /** Certificates of authorities (PEM) that are trusted besides the usual ones. */
  readonly authorities?: readonly string[];
  /** How long a streamed answer may take to begin, and how long it may be silent; 5 minutes unless given. */
  readonly headersTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
}

const PATIENCE_MS = 5 * 60_000;
// More than any API sends, and little enough for many at once.
const MAX_HEADER_BYTES = 64 * 1024;

// More wait for a free connection, whose ever they are. So many, because callers that stand still hold theirs for a
// minute, and what is passed through is limited before (SVC_PROXY_CALLS).
const CONNECTIONS_PER_ORIGIN = 16_384;

/** Creates the egress; throws when an item of `allow` is malformed. */
export function createEgress(options: EgressOptions): Egress {
  const { allow, origins, log, lookup, authorities } = options;
  const policy = createAddressPolicy(allow, origins);
  const createAgent: CreateAgent = (tls) =>
    newAgent(createGuardedConnect(policy, log, { lookup, authorities, ...tls }), options);
  return new PublicEgress(createAgent, () => new GuardedSocket({ policy, log, lookup }), policy);
}

function newAgent(connect: ReturnType<typeof createGuardedConnect>, options: EgressOptions): Agent {
  return new Agent({
    connect,
    connections: CONNECTIONS_PER_ORIGIN,
    pipelining: 1,
    allowH2: false,
    headersTimeout: options.headersTimeoutMs ?? PATIENCE_MS,
    bodyTimeout: options.idleTimeoutMs ?? PATIENCE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Once for each origin, so that requests are not slowed by it.
    factory: (origin, poolOptions) => new Pool(requireWebUrl(String(origin)).origin, poolOptions),
  });
}

type CreateAgent = (tls?: Pick<GuardedConnectOptions, "certificate" | "onlyAuthorities">) => Agent;

class PublicEgress implements Egress {
  readonly servers = createServerNotes();
  readonly #agent: Agent;
  readonly #createAgent: CreateAgent;
  readonly #policy: AddressPolicy;
  readonly #createSocket: () => Socket;

  constructor(createAgent: CreateAgent, createSocket: () => Socket, policy: AddressPolicy) {
    this.#agent = createAgent();
    this.#createAgent = createAgent;
    this.#createSocket = createSocket;
    this.#policy = policy;
  }

  async request(request: EgressRequest): Promise<EgressResponse> {
    const url = requireAllowed(this.#policy, request.url);
    const { clientCertificate: certificate, authorities: onlyAuthorities } = request;
    if (certificate === undefined && onlyAuthorities === undefined) {
      return await this.#send(this.#agent, url, request);
    }
    // A connection that has shown a certificate, or trusts an authority of a customer, serves nobody else.
    const agent = this.#createAgent({ certificate, onlyAuthorities });
    try {
      return await this.#send(agent, url, request);
    } finally {
      await agent.destroy();
    }
  }

  async #send(agent: Agent, url: URL, request: EgressRequest): Promise<EgressResponse> {
    const response = await sendRequest(agent, url, request);
    const { clockAheadMs } = response;
    if (clockAheadMs !== undefined) this.servers.note(url.href, { clockAheadMs });
    return response;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return this.#agent.dispatch(options, handler);
  }

  createSocket(): Socket {
    return this.#createSocket();
  }

  async requireAllowedUrl(url: string): Promise<void> {
    requireAllowed(this.#policy, url);
  }

  isOpened(url: string): boolean {
    const { hostname, origin } = requireWebUrl(url);
    if (this.#policy.isOpenOrigin(origin)) return true;
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(host) !== 0) return this.#policy.isOpenHost(host) || this.#policy.isOpenAddress(host);
    if (isLocalhostName(host)) return isOpenLocalhost(this.#policy, host);
    return this.#policy.isOpenHost(host);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

function requireAllowed(policy: AddressPolicy, text: string): URL {
  const url = requireWebUrl(text);
  if (policy.isOpenOrigin(url.origin)) return url;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0 && !isAllowedLiteral(policy, host)) throw destinationNotAllowed(host);
  if (isLocalhostName(host) && !isOpenLocalhost(policy, host)) throw destinationNotAllowed(host);
  return url;
}

function isOpenLocalhost(policy: AddressPolicy, host: string): boolean {
  const loopback = ["127.0.0.1", "::1"];
  return policy.isOpenHost(host) || loopback.some((address) => policy.isOpenAddress(address));
}

/** An http or https URL without user and password; the message never repeats the URL. */
function requireWebUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new AppError("destination_not_allowed", "Only http and https addresses can be called.");
  }
  if (url.username !== "" || url.password !== "") {
    const message = `The address of ${url.hostname} holds a user or password; send them as a header.`;
    throw new AppError("destination_not_allowed", message);
  }
  return url;
}
