import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { secretsInBody, secretsInHeader } from "./secrets-in.ts";

// A body is read for secrets chunk by chunk; what is longer, or comes after the first megabyte, is data.
const LONGEST_CHUNK = 64 * 1024;
const MOST_OF_BODY = 1024 * 1024;

/**
 * Tells of every secret that travels through a client or server of this process: keys that the test calls the
 * platform with, credentials that it imports, tokens that its fake providers issue and are shown.
 */
export function harvestSecrets(tell: (secrets: readonly string[]) => void): void {
  const seen = new WeakMap<object, number>();
  /** Of the request or answer that it is a part of. */
  const readChunk = (whole: object, chunk: unknown): void => {
    const isText = typeof chunk === "string" || chunk instanceof Uint8Array;
    if (!isText || chunk.length > LONGEST_CHUNK) return;
    const before = seen.get(whole) ?? 0;
    if (before > MOST_OF_BODY) return;
    seen.set(whole, before + chunk.length);
    tell(secretsInBody(Buffer.from(chunk).toString("latin1")));
  };
  const readHeaders = (headers: readonly unknown[]): void => {
    for (let at = 0; at + 1 < headers.length; at += 2) {
      tell(secretsInHeader(String(headers[at]), String(headers[at + 1])));
    }
  };

  subscribe("undici:request:create", (message) => {
    const { request } = message as { request: { headers: readonly unknown[]; path?: string } };
    readHeaders(request.headers);
    readChunk(request, request.path);
  });
  for (const name of ["undici:request:bodyChunkSent", "undici:request:bodyChunkReceived"]) {
    subscribe(name, (message) => {
      const { request, chunk } = message as { request: object; chunk: unknown };
      readChunk(request, chunk);
    });
  }
  subscribe("http.server.request.start", (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    readHeaders(request.rawHeaders);
    readChunk(request, request.url);
    listen(request, "push", (chunk) => readChunk(request, chunk));
    listen(response, "write", (chunk) => readChunk(response, chunk));
    listen(response, "end", (chunk) => readChunk(response, chunk));
  });
}

/** Shows the first argument of each call of the method, which then continues as before. */
export function listen<Name extends string>(
  target: Record<Name, (...given: never[]) => unknown>,
  name: Name,
  hear: (first: unknown) => void,
): void {
  const method = target[name];
  Object.defineProperty(target, name, {
    configurable: true,
    writable: true,
    value(this: unknown, ...given: never[]) {
      hear(given[0]);
      return method.apply(this, given);
    },
  });
}
