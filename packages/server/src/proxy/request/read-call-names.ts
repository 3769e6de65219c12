import type { IncomingMessage } from "node:http";
import { isBrowserSign } from "#foundation/http";
import { controlHeaders } from "./control-headers.ts";

export interface CallNames {
  readonly integrationKey: string;
  readonly connectionId: string;
}

const single = new Set(["authorization", "connection-id", "provider-config-key"]);

/** With one of these a call asks for more than to be passed on. */
const unusual = new Set(
  [...controlHeaders, "expect", "upgrade"].filter((name) => !single.has(name)),
);

/** Those of the slow path, and OPTIONS, which it takes for a preflight; TRACE would show the caller our headers. */
const passed = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

export function isForProxy({ url = "" }: IncomingMessage): boolean {
  return url.startsWith("/proxy/");
}

/** The names in a call that asks for nothing but to be passed on; undefined for every other request. */
export function readCallNames(request: IncomingMessage): CallNames | undefined {
  if (!isForProxy(request) || !passed.has(request.method ?? "")) return undefined;
  const { rawHeaders } = request;
  let integrationKey: string | undefined;
  let connectionId: string | undefined;
  let singles = 0;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    if (unusual.has(name)) return undefined;
    if (name.startsWith("svc-") && !name.startsWith("svc-proxy-")) return undefined;
    if (isBrowserSign(name)) return undefined;
    if (!single.has(name)) continue;
    singles += 1;
    if (name === "connection-id") connectionId = rawHeaders[index + 1];
    else if (name === "provider-config-key") integrationKey = rawHeaders[index + 1];
  }
  if (singles !== single.size || integrationKey === undefined || connectionId === undefined) {
    return undefined;
  }
  return { integrationKey, connectionId };
}
