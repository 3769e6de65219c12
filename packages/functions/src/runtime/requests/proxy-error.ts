import type { ProxyConfiguration, ProxyResponse } from "../../proxy-configuration.ts";
import { RunFailure } from "../run-failure.ts";

/** A provider call without a 2xx answer, shaped as users of axios know it. */
export class ProxyError extends Error {
  override name = "ProxyError";
  readonly isAxiosError = true;
  readonly code: string;
  readonly config: ProxyConfiguration;
  readonly request: ProxyResponse["request"];
  readonly status: number | undefined;
  /** Absent when the provider could not be reached. */
  readonly response: ProxyResponse | undefined;

  constructor(input: {
    message: string;
    code: string;
    config: ProxyConfiguration;
    request: ProxyResponse["request"];
    response?: ProxyResponse;
    cause?: unknown;
  }) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    this.code = input.code;
    this.config = input.config;
    this.request = input.request;
    this.response = input.response;
    this.status = input.response?.status;
  }
}

export function fromAnswer(response: ProxyResponse): ProxyError {
  const { status, statusText, request, config } = response;
  return new ProxyError({
    message: `The provider answered ${`${status} ${statusText}`.trim()} to ${request.method} ${request.path}.`,
    code: status >= 500 ? "ERR_BAD_RESPONSE" : "ERR_BAD_REQUEST",
    config,
    request,
    response,
  });
}

export const networkFailures: ReadonlySet<string> = new Set([
  "script_network_error",
  "upstream_unreachable",
  "upstream_dns_error",
  "upstream_tls_error",
  "upstream_timeout",
]);

/** A failed call to the host becomes a network error when the provider was not reached; else it stays. */
export function fromHostFailure(
  failure: unknown,
  call: { config: ProxyConfiguration; request: ProxyResponse["request"] },
): unknown {
  if (!(failure instanceof RunFailure) || !networkFailures.has(failure.type)) return failure;
  return new ProxyError({
    message: failure.message,
    code: readCode(failure.payload) ?? failure.type,
    cause: failure,
    ...call,
  });
}

function readCode(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null || !("code" in payload)) return undefined;
  return typeof payload.code === "string" ? payload.code : undefined;
}
