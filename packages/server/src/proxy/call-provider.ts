import type { RuntimeParams } from "@jackfield/contract/runtime";
import type { Credentials } from "#auth-modes";
import type { Connection } from "#connections";
import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import type { RunEgress } from "#slice";
import { BufferSink } from "./answer/buffer-sink.ts";
import { hideCredentials, toSearchable } from "./answer/hide-credentials.ts";
import { toHeaderObject } from "./answer/response-headers.ts";
import type { Patience, ProviderCall } from "./call.ts";
import { CallLog, type CallTiming } from "./call-log.ts";
import type { AnswerHead } from "./exchange/attempt.ts";
import { exchange } from "./exchange/exchange.ts";
import { recordCall } from "./record-call.ts";
import { prepareCall } from "./request/prepare-call.ts";
import { fromFunctionHeaders } from "./request/request-headers.ts";
import { setQuery } from "./request/set-query.ts";
import { toRetryHints } from "./request/to-retry-hints.ts";

export interface ProviderCallInput {
  readonly integration: Integration;
  readonly connection: Connection;
  readonly method: string;
  /** Path below the base URL, with or without a query; one that begins with the base or its path works too. */
  readonly endpoint: string;
  /** Parameters to set, in order; one replaces the endpoint's own of that name. */
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly baseUrlOverride: string | undefined;
  readonly retries: number;
  readonly retryOn: readonly number[];
  readonly retryHeader?: RuntimeParams<"proxy">["retryHeader"];
  readonly decompress: boolean;
  /** Up to 5, with credentials only for the same origin. */
  readonly followRedirects: boolean;
  readonly forwardHeaders?: boolean | undefined;
  /** Whether a 401 renews the credentials once and sends the call again, without `retries` too. */
  readonly renewsRefused?: boolean;
  /** What the caller may send where; any host that the server reaches unless given. */
  readonly egress?: RunEgress;
  /** The answer comes without the credentials of its call, which go to hosts of the integration alone. */
  readonly hidesCredentials?: boolean;
  /** Default: that of a function, which waits for the provider's quota. */
  readonly patience?: Patience;
  /** Default: the limit of request bodies. */
  readonly answerLimitBytes?: number;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case; repeated headers as lists. */
  readonly headers: Record<string, string | string[]>;
  readonly body: Buffer;
  readonly timing: CallTiming;
}

/** A call to the provider whose whole answer is wanted; any status is an answer. */
export async function callProvider(
  ctx: EnvironmentContext,
  input: ProviderCallInput,
): Promise<ProviderAnswer> {
  const log = new CallLog(ctx);
  const call = await prepare(ctx, input);
  const sink = new BufferSink(input.answerLimitBytes ?? ctx.settings.bodyLimitBytes);
  const used = new Set<Credentials>();
  try {
    const { head } = await exchange(ctx, call, {
      ...{ sink, log },
      onCredentials: (credentials) => used.add(credentials),
    });
    const headers = [...head.headers, ...log.presentQuotaWait()];
    const shown = await present(sink, { ...head, headers }, input);
    const answer = input.hidesCredentials === true ? hideCredentials(shown, call, used) : shown;
    recordCall(ctx, call, { log, end: { status: head.status } });
    return { ...answer, timing: log.timing };
  } catch (error) {
    recordCall(ctx, call, { log, end: { error } });
    throw error;
  }
}

async function prepare(ctx: EnvironmentContext, input: ProviderCallInput): Promise<ProviderCall> {
  const { integration, connection, body } = input;
  return await prepareCall(ctx, {
    integration,
    connection,
    method: input.method,
    path: setQuery(input.endpoint, input.query),
    override: input.baseUrlOverride,
    knownHostsOnly: input.hidesCredentials,
    egress: input.egress,
    headers: fromFunctionHeaders(toSearchable(input)),
    // Some providers refuse calls without one.
    defaults: { "user-agent": "Jackfield" },
    readBody: async () => (body === undefined ? { kind: "none" } : { kind: "bytes", bytes: body }),
    retries: input.retries,
    retryOn: input.retryOn,
    ...(input.retryHeader === undefined ? {} : { retryHeader: toRetryHints(input.retryHeader) }),
    followRedirects: input.followRedirects,
    forwardHeaders: input.forwardHeaders ?? false,
    renewsRefused: input.renewsRefused ?? false,
    patience: input.patience ?? { kind: "background" },
  });
}

async function present(
  sink: BufferSink,
  head: AnswerHead,
  { decompress, hidesCredentials = false }: ProviderCallInput,
): Promise<Omit<ProviderAnswer, "timing">> {
  const { status, statusText } = head;
  const answer = await sink.read(head, { decompress: decompress || hidesCredentials });
  return { status, statusText, headers: toHeaderObject(answer.headers), body: answer.body };
}
