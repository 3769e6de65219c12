import type { Connection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { toUpstreamError } from "#foundation/egress";
import type { Integration } from "#integrations";
import { toHeaderObject } from "./answer/response-headers.ts";
import { WebSink } from "./answer/web-sink.ts";
import type { ProviderCall } from "./call.ts";
import { CallLog } from "./call-log.ts";
import { exchange } from "./exchange/exchange.ts";
import { takeCallSlot } from "./limits/call-slots.ts";
import { recordCall } from "./record-call.ts";
import { prepareCall } from "./request/prepare-call.ts";
import { fromFunctionHeaders } from "./request/request-headers.ts";

export interface StreamedCallInput {
  readonly integration: Integration;
  readonly connection: Connection;
  readonly method: string;
  /** Of the integration's entry: the connection's credentials go there. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly maxBytes: number;
  /** How long the answer may be silent once it has begun. */
  readonly idleMs: number;
  /** Ends the call, also after its answer has begun. */
  readonly signal: AbortSignal;
}

export interface StreamedAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case; repeated headers as lists. */
  readonly headers: Record<string, string | string[]>;
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * A call to the provider whose answer is read as it comes; any status is an answer, redirects too. A 401 renews the
 * credentials once.
 */
export async function streamProvider(
  ctx: EnvironmentContext,
  { url, signal, maxBytes, idleMs, ...input }: StreamedCallInput,
): Promise<StreamedAnswer> {
  const ending = new AbortController();
  const own = { ...ctx, signal: AbortSignal.any([signal, ending.signal]) };
  const sink = new WebSink({ maxBytes, idleMs, abort: (reason) => ending.abort(reason) });
  const call = await prepareCall(own, {
    ...input,
    baseUrl: url.origin,
    path: url.pathname + url.search,
    override: undefined,
    headers: fromFunctionHeaders(input.headers),
    defaults: { "user-agent": "Jackfield" },
    readBody: async () =>
      input.body === undefined ? { kind: "none" } : { kind: "bytes", bytes: input.body },
    retries: 0,
    retryOn: [],
    followRedirects: false,
    renewsRefused: true,
    patience: { kind: "none" },
  });
  void pass(own, call, sink);
  const { head, body } = await sink.answer;
  const { status, statusText } = head;
  return { status, statusText, headers: toHeaderObject(head.headers), body };
}

/** What goes wrong reaches the caller by the sink. */
async function pass(ctx: EnvironmentContext, call: ProviderCall, sink: WebSink): Promise<void> {
  const log = new CallLog(ctx);
  try {
    using _slot = takeCallSlot(ctx);
    const { head, broken } = await exchange(ctx, call, { sink, log });
    const end = broken === undefined ? { status: head.status } : { error: toError(broken) };
    recordCall(ctx, call, { log, end });
  } catch (error) {
    sink.fail(error);
    recordCall(ctx, call, { log, end: { error } });
  }
}

function toError(broken: Error) {
  return toUpstreamError(broken, "The provider");
}
