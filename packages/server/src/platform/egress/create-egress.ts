import { isIP, type LookupFunction } from "node:net";
import { Agent, type Dispatcher, Pool } from "undici";
import { AppError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { type AddressPolicy, createAddressPolicy, isLocalhostName } from "./address-policy.ts";
import type { Egress, EgressRequest, EgressResponse } from "./egress.ts";
import {
  createGuardedConnect,
  destinationNotAllowed,
  isAllowedLiteral,
} from "./guarded-connect.ts";
import { sendRequest } from "./send-request.ts";

export interface EgressOptions {
  /** `SVC_EGRESS_ALLOW`: CIDR ranges, addresses, hosts and `*.suffix`. */
  readonly allow: readonly string[];
  readonly log: Logger;
  /** The system's resolver unless given. */
  readonly lookup?: LookupFunction;
}

// Enough for one busy provider; more wait for a free connection.
const CONNECTIONS_PER_ORIGIN = 512;

/** The way out; throws when an item of `allow` is malformed. */
export function createEgress({ allow, log, lookup }: EgressOptions): Egress {
  const policy = createAddressPolicy(allow);
  const agent = new Agent({
    connect: createGuardedConnect(policy, log, lookup),
    connections: CONNECTIONS_PER_ORIGIN,
    pipelining: 1,
    allowH2: false,
    // Once for each origin, so that requests are not slowed by it.
    factory: (origin, options) => new Pool(requireWebUrl(String(origin)).origin, options),
  });
  return new PublicEgress(agent, policy);
}

class PublicEgress implements Egress {
  readonly #agent: Agent;
  readonly #policy: AddressPolicy;

  constructor(agent: Agent, policy: AddressPolicy) {
    this.#agent = agent;
    this.#policy = policy;
  }

  async request(request: EgressRequest): Promise<EgressResponse> {
    return await sendRequest(this.#agent, requireAllowed(this.#policy, request.url), request);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return this.#agent.dispatch(options, handler);
  }

  async requireAllowedUrl(url: string): Promise<void> {
    requireAllowed(this.#policy, url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

function requireAllowed(policy: AddressPolicy, text: string): URL {
  const url = requireWebUrl(text);
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
