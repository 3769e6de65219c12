import * as z from "zod";
import { HostFailure } from "./host-failure.ts";
import type { Forward, HostAnswer } from "./local-host.ts";
import type { HostCall } from "./local-methods.ts";
import { type RecordedCall, toRecordedBody } from "./recording.ts";
import { collectSecrets, keepAnswerHeaders, redactCall } from "./redact.ts";

const proxyParams = z.looseObject({
  providerConfigKey: z.string().optional(),
  connectionId: z.string().optional(),
  method: z.string(),
  endpoint: z.string(),
  query: z.array(z.tuple([z.string(), z.string()])),
  headers: z.record(z.string(), z.string()),
  baseUrlOverride: z.string().optional(),
});
const fetchParams = z.looseObject({
  method: z.string(),
  url: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
});
const headersOf = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const answerHead = z.looseObject({ status: z.number(), headers: headersOf });
const fetchHead = z.looseObject({
  status: z.number(),
  headers: z.array(z.tuple([z.string(), z.string()])),
});
const withCredentials = z.looseObject({ credentials: z.unknown() });
const variables = z.array(z.looseObject({ name: z.string(), value: z.string() }));

/** Set by the server or by libraries, so that they say nothing about what the function asks for. */
const IGNORED_REQUEST_HEADERS =
  /^(authorization|cookie|user-agent|accept|accept-encoding|host|content-length|connection)$/;
const DEFAULT_CONTENT_TYPES = /^application\/(json|x-www-form-urlencoded)\b/;

export interface OwnConnection {
  readonly connectionId: string;
  readonly providerConfigKey: string;
}

/**
 * Wraps the way to the server so that each call and its answer are kept, without credentials: those that the
 * function reads, and those that are `known` before.
 */
export function recordCalls(
  own: OwnConnection,
  forward: Forward,
  known?: unknown,
): { forward: Forward; take: () => RecordedCall[]; secrets: () => ReadonlySet<string> } {
  const calls: RecordedCall[] = [];
  const secrets = collectSecrets(known);
  return {
    forward: async (call) => {
      const asked = describeCall(own, call);
      // In the order in which they were made: answers of calls at the same time come in any order.
      const place = calls.push(asked) - 1;
      try {
        const answer = await forward(call);
        if (call.method === "getConnection" || call.method === "getIntegration") {
          collectSecrets(withCredentials.safeParse(answer.value).data?.credentials, secrets);
        }
        if (call.method === "getEnvironmentVariables") {
          collectSecrets(
            variables.safeParse(answer.value).data?.map(({ value }) => value),
            secrets,
          );
        }
        calls[place] = { ...asked, answer: describeAnswer(call, answer) };
        return answer;
      } catch (error) {
        if (error instanceof HostFailure) {
          const { type, message, status, payload } = error.error;
          const failure = {
            ...{ type, message },
            ...(status !== undefined && { status }),
            ...(payload !== undefined && { payload }),
          };
          calls[place] = { ...asked, failure };
        }
        throw error;
      }
    },
    take: () => calls.map((call) => redactCall(call, secrets)),
    secrets: () => secrets,
  };
}

/** What identifies a call: two with the same description ask for the same. */
export function describeCall(own: OwnConnection, { method, params, body }: HostCall): RecordedCall {
  if (method === "proxy") return describeProxyCall(own, params, body);
  if (method === "fetch") return describeFetch(params, body);
  const { connectionId, providerConfigKey, ...rest } = z.looseObject({}).parse(params);
  const others = {
    ...(connectionId !== undefined && connectionId !== own.connectionId && { connectionId }),
    ...(providerConfigKey !== undefined &&
      providerConfigKey !== own.providerConfigKey && { providerConfigKey }),
    ...rest,
  };
  const recorded = toRecordedBody(body);
  return {
    call: method,
    ...(Object.keys(others).length > 0 && { params: others }),
    ...(recorded !== undefined && { body: recorded }),
  };
}

function describeProxyCall(own: OwnConnection, params: unknown, body: Uint8Array): RecordedCall {
  const asked = proxyParams.parse(params);
  const [path = "", ...ownQuery] = asked.endpoint.split("?");
  const query = new URLSearchParams(ownQuery.join("?"));
  for (const [name] of asked.query) query.delete(name);
  for (const [name, value] of asked.query) query.append(name, value);
  const hasQuery = query.size > 0;
  const headers = keepRequestHeaders(Object.entries(asked.headers));
  const { baseUrlOverride, connectionId, providerConfigKey } = asked;
  const described = {
    ...(hasQuery && { query: groupQuery(query) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(baseUrlOverride !== undefined && { baseUrlOverride }),
    ...(connectionId !== undefined && connectionId !== own.connectionId && { connectionId }),
    ...(providerConfigKey !== undefined &&
      providerConfigKey !== own.providerConfigKey && { providerConfigKey }),
  };
  const recorded = toRecordedBody(body);
  return {
    call: `${asked.method.toUpperCase()} ${path.startsWith("/") || /^https?:/.test(path) ? path : `/${path}`}`,
    ...(Object.keys(described).length > 0 && { params: described }),
    ...(recorded !== undefined && { body: recorded }),
  };
}

function describeFetch(params: unknown, body: Uint8Array): RecordedCall {
  const asked = fetchParams.parse(params);
  const headers = keepRequestHeaders(
    asked.headers.map(([name, value]) => [name.toLowerCase(), value]),
  );
  const recorded = toRecordedBody(body);
  return {
    call: `fetch ${asked.method} ${asked.url}`,
    ...(Object.keys(headers).length > 0 && { params: { headers } }),
    ...(recorded !== undefined && { body: recorded }),
  };
}

/** Values of a repeated name as a list. */
function groupQuery(query: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(query.keys())].toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

function keepRequestHeaders(
  headers: readonly (readonly [string, string])[],
): Record<string, string> {
  return Object.fromEntries(
    headers
      .filter(([name]) => !IGNORED_REQUEST_HEADERS.test(name))
      .map(
        ([name, value]) =>
          [
            name,
            // The boundary of a multipart body is another one each time.
            name === "content-type" ? value.replace(/;\s*boundary=.*/is, "") : value,
          ] as const,
      )
      .filter(([name, value]) => name !== "content-type" || !DEFAULT_CONTENT_TYPES.test(value))
      .toSorted(([first], [second]) => (first < second ? -1 : 1)),
  );
}

function describeAnswer(call: HostCall, answer: HostAnswer): NonNullable<RecordedCall["answer"]> {
  const body = toRecordedBody(answer.body ?? new Uint8Array(0));
  const withBody = body === undefined ? {} : { body };
  if (call.method === "proxy") {
    const { status, headers } = answerHead.parse(answer.value);
    return { status, headers: keepAnswerHeaders(headers), ...withBody };
  }
  if (call.method === "fetch") {
    const { status, headers } = fetchHead.parse(answer.value);
    const byName = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
    return { status, headers: keepAnswerHeaders(byName), ...withBody };
  }
  return { value: answer.value, ...withBody };
}
