import { AppError } from "../errors.ts";
import type { Egress } from "./egress.ts";

/**
 * The same egress with a simulator's socket at its end: host, path and signatures are the provider's. Throws
 * destination_not_allowed unless the operator has opened the simulator's address.
 */
export function aimEgress(http: Egress, simulatorUrl: string): Egress {
  if (!http.isOpened(simulatorUrl)) {
    const { hostname } = new URL(simulatorUrl);
    const message = `The simulator at ${hostname} is not open: the operator opens its address with SVC_EGRESS_ALLOW.`;
    throw new AppError("destination_not_allowed", message);
  }
  const { origin } = new URL(simulatorUrl);
  return {
    // What a simulator tells is nothing that the provider has said.
    servers: {
      find: () => http.servers.find(origin),
      note: (_url, change) => http.servers.note(origin, change),
    },
    async request(request) {
      const { host, origin: own } = new URL(request.url);
      const url = origin + request.url.slice(own.length).replace(/^(?!\/)/, "/");
      return await http.request({ ...request, url, headers: { ...request.headers, host } });
    },
    dispatch: (options, handler) => {
      const { host } = new URL(String(options.origin));
      const headers = [...[options.headers ?? []].flat().map(String), "host", host];
      return http.dispatch({ ...options, origin, headers }, handler);
    },
    createSocket: () => http.createSocket(),
    requireAllowedUrl: async (url) => await http.requireAllowedUrl(url),
    isOpened: (url) => http.isOpened(url),
    // Its owner closes the egress.
    async [Symbol.asyncDispose]() {},
  };
}

/**
 * Where a browser is sent instead of the provider's page: the simulator, which reads the provider's host
 * from the path, since a browser sends the host that it calls.
 */
export function toSimulatorAddress(simulatorUrl: string, location: string): string {
  const { host, pathname, search, hash } = new URL(location);
  return `${new URL(simulatorUrl).origin}/.vendor/${host}${pathname}${search}${hash}`;
}
