import type { FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import { invalidFields } from "../../validation/index.ts";

/** Headers that say one thing: of two values, which holds would be a guess. */
const single = new Set([
  "authorization",
  "connection-id",
  "provider-config-key",
  "idempotency-key",
  "content-type",
  "base-url-override",
  "retries",
  "retry-on",
  "decompress",
  "svc-environment",
  "svc-csrf",
]);

/** Refuses what has no one meaning before anything reads it: doubled control headers, NUL in an address. */
export function requireCleanRequest(request: FastifyRequest, isProxied: boolean): void {
  const { rawHeaders, url = "" } = request.raw;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    if (!single.has(name)) continue;
    if (seen.has(name)) throw refuseDoubled(name);
    seen.add(name);
  }
  if (isProxied || !/%00/.test(url)) return;
  const [path = ""] = url.split("?", 1);
  const code = path.includes("%00") ? "invalid_uri_params" : "invalid_query_params";
  throw new AppError(code, "The address holds %00, a character that no name or value has.");
}

function refuseDoubled(name: string): AppError {
  return invalidFields("invalid_headers", [
    { path: [name], message: "is sent twice; send it once" },
  ]);
}
