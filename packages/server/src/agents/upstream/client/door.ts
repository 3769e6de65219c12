import type { FetchLike } from "@modelcontextprotocol/client";
import type { Connection } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { type StreamedAnswer, streamProvider } from "#proxy";
import { wholeLines } from "./whole-lines.ts";

/** A server of the Model Context Protocol, reached with the credentials of a connection. */
export interface UpstreamServer {
  readonly integration: Integration;
  readonly connection: Connection;
  readonly url: URL;
}

/** The refusal of a request, of which the protocol's client says less. */
export interface Refusal {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** What the account would have to be allowed for it (RFC 6750, section 3.1); undefined for other refusals. */
  readonly missingScope: string | undefined;
}

interface Listening {
  readonly signal: AbortSignal;
  /** The answer to the request of this id has ended, with or without a result. */
  readonly onEnded: (id: string | number) => void;
}

export interface Door {
  readonly fetch: FetchLike;
  /** Aborted when an answer ends early: who waits for the rest would wait in vain. */
  readonly signal: AbortSignal;
  /** Why the last request was refused; undefined where it was not. */
  readonly refusal: () => Refusal | undefined;
}

const FORBIDDEN = 405;

/**
 * How the protocol's client reaches the server: through the egress, with the connection's credentials and nothing of
 * the caller's, without redirects, up to a size and a time for all its requests together.
 */
export function openDoor(
  ctx: EnvironmentContext,
  server: UpstreamServer,
  { signal: calling, onEnded }: Listening,
): Door {
  const { answerBytes, idleMs } = ctx.settings.mcpLimits;
  const ending = new AbortController();
  const signal = AbortSignal.any([calling, ending.signal]);
  let left = answerBytes;
  let refusal: Refusal | undefined;
  const fetch: FetchLike = async (_url, init = {}) => {
    // A stream that is listened to without a call would be one for each connection.
    if (init.method === "GET") return new Response(null, { status: FORBIDDEN });
    const text = typeof init.body === "string" ? init.body : undefined;
    const answer = await streamProvider(ctx, {
      ...server,
      method: init.method ?? "POST",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: text === undefined ? undefined : Buffer.from(text),
      ...{ idleMs, maxBytes: left },
      signal: init.signal == null ? signal : AbortSignal.any([signal, init.signal]),
    });
    refusal = toRefusal(answer);
    requireNoRedirect(server, answer);
    return toResponse(answer, {
      onBytes: (count) => {
        left = Math.max(0, left - count);
      },
      onBroken: (error) => ending.abort(error),
      onEnd: () => {
        const id: unknown = Object(JSON.parse(text ?? "{}")).id;
        if (typeof id === "string" || typeof id === "number") onEnded(id);
      },
    });
  };
  return { fetch, signal, refusal: () => refusal };
}

function toRefusal({ status, headers }: StreamedAnswer): Refusal | undefined {
  if (status < 400) return undefined;
  const [retryAfter] = [headers["retry-after"]].flat();
  return { status, retryAfter, missingScope: readMissingScope(status, headers) };
}

function readMissingScope(status: number, headers: StreamedAnswer["headers"]): string | undefined {
  const challenge = [headers["www-authenticate"]].flat().join(", ");
  if (status !== 403 || !/\berror="?insufficient_scope\b/.test(challenge)) return undefined;
  return /\bscope="([^"]*)"/.exec(challenge)?.[1] ?? "";
}

function requireNoRedirect({ url }: UpstreamServer, { status, body }: StreamedAnswer): void {
  if (status < 300 || status >= 400) return;
  void body.cancel();
  throw new AppError(
    "upstream_unreachable",
    `${url.hostname} answered with a redirect (${status}), which is not followed: it would take the credentials along.`,
  );
}

const withoutBody = new Set([204, 205]);

function toResponse(
  { status, headers, body }: StreamedAnswer,
  listening: Parameters<typeof wholeLines>[0],
): Response {
  const kept = ["content-type", "mcp-session-id", "www-authenticate"].flatMap((name) => {
    const [value] = [headers[name]].flat();
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
  if (withoutBody.has(status)) {
    void body.cancel();
    return new Response(null, { status, headers: kept });
  }
  return new Response(body.pipeThrough(wholeLines(listening)), { status, headers: kept });
}
