import { isIP, type LookupFunction, Socket } from "node:net";
import type { Logger } from "../logger/index.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { guardLookup, isAllowedLiteral, refuse } from "./guarded-connect.ts";

export interface GuardedSocketOptions {
  readonly policy: AddressPolicy;
  readonly log: Logger;
  readonly lookup: LookupFunction | undefined;
}

/** A socket for protocols other than HTTP, which connects by `connect(port, host)`: only to where the policy allows. */
export class GuardedSocket extends Socket {
  readonly #options: GuardedSocketOptions;

  constructor(options: GuardedSocketOptions) {
    super();
    this.#options = options;
  }

  override connect(...[port, host]: unknown[]): this {
    if (typeof port !== "number" || typeof host !== "string") {
      throw new TypeError("A guarded socket connects to a port of a host.");
    }
    const { policy, log, lookup } = this.#options;
    // A literal never reaches `lookup`.
    if (isIP(host) !== 0 && !isAllowedLiteral(policy, host)) {
      process.nextTick(() => this.destroy(refuse(log, host)));
      return this;
    }
    return super.connect({ port, host, lookup: guardLookup(policy, log, lookup) });
  }
}
