import type { RouteDefinition } from "@jackfield/contract";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import { isFromBrowser } from "./browser-signs.ts";
import { isForHost } from "./is-for-host.ts";

/** What balancers ask each name for. */
const servedEverywhere: ReadonlySet<string> = new Set(["/health", "/ready"]);

/**
 * Where answers of providers have a host of their own: browsers get them under no other name, and nothing else
 * under that one. An origin is then either ours or the providers'.
 */
export function requireOwnHost(
  { raw }: FastifyRequest,
  route: RouteDefinition | undefined,
  proxyHost: string,
): void {
  const isProxied = route?.proxied === true;
  if (isForHost(raw, proxyHost)) {
    if (isProxied || servedEverywhere.has(route?.path ?? "")) return;
    throw new AppError("not_found", `Under ${proxyHost} there is nothing but /proxy.`);
  }
  if (!isProxied || !isFromBrowser(raw)) return;
  throw new AppError("misdirected_request", `Pages call /proxy under ${proxyHost}.`);
}
