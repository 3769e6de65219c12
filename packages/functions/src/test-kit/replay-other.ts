import { isDeepStrictEqual } from "node:util";
import { findDifferences } from "./differences.ts";
import { HostFailure } from "./host-failure.ts";
import type { Forward, HostAnswer } from "./local-host.ts";
import type { HostCall } from "./local-methods.ts";
import type { OtherEntry, OtherRecording } from "./other-recording.ts";
import { describeCall, type OwnConnection } from "./record-calls.ts";
import type { RecordedCall, RunResult } from "./recording.ts";

/** Answers calls from such a recording; `listProblems` names those that nothing fits. */
export function replayOther(
  own: OwnConnection & { readonly provider: string },
  recorded: OtherRecording,
): { forward: Forward; listProblems: () => string[] } {
  const problems: string[] = [];
  const refuse = (what: string): never => {
    const message = `nothing is recorded for ${what}`;
    problems.push(message);
    throw new HostFailure({ type: "not_recorded", message });
  };
  return {
    forward: async (call) => {
      if (call.method === "proxy") {
        const asked = describeCall(own, call);
        const found = findEntry(recorded, asked);
        return found === undefined ? refuse(presentCall(asked)) : toAnswer(found);
      }
      const value = readFact(own, recorded, call);
      return value === undefined ? refuse(`svc.${call.method}`) : { value };
    },
    listProblems: () => problems,
  };
}

/** What a run did, against the output and the records that are recorded. */
export function compareWithOther({ output, nango }: OtherRecording, now: RunResult): string[] {
  const problems =
    output === undefined ? [] : findDifferences(toJson({ output }), toJson({ output: now.output }));
  const models = new Set([
    ...Object.keys(nango?.batchSave ?? {}),
    ...Object.keys(nango?.batchDelete ?? {}),
    ...Object.keys(now.records ?? {}),
  ]);
  for (const model of models) {
    const written = now.records?.[model];
    const deleted = (nango?.batchDelete?.[model] ?? []).map(({ id }) => String(id));
    const before = { saved: byId(nango?.batchSave?.[model] ?? []), deleted: deleted.toSorted() };
    const saved = [...(written?.saved ?? []), ...(written?.updated ?? [])];
    const after = { saved: byId(saved), deleted: (written?.deleted ?? []).toSorted() };
    problems.push(...findDifferences(toJson({ [model]: before }), toJson({ [model]: after })));
  }
  const failure = now.error;
  const isNew = failure !== undefined && output === undefined;
  return [
    ...problems.map((problem) => `the result differs: ${problem}`),
    ...(isNew ? [`the function failed: ${failure.type}: ${failure.message}`] : []),
  ];
}

function findEntry({ api = {} }: OtherRecording, asked: RecordedCall): OtherEntry | undefined {
  const [method = "", path = ""] = asked.call.split(" ", 2);
  const paths = api[method.toLowerCase()] ?? {};
  const place = (URL.parse(path)?.pathname ?? path).replace(/^\/+/, "");
  const found = paths[`/${place}`] ?? paths[place] ?? [];
  const entries = Array.isArray(found) ? found : [found];
  const query = Object(asked.params?.["query"] ?? {});
  const fitting = entries.filter(({ request }) => fits(request, query, asked));
  const sameHeaders = fitting.find(({ request }) =>
    isDeepStrictEqual(toTexts(request?.headers ?? {}), toTexts(Object(asked.params?.["headers"]))),
  );
  return sameHeaders ?? fitting[0];
}

/** An entry that says nothing of its request fits every one; long data is recorded as its hash. */
function fits(request: OtherEntry["request"], query: object, { body }: RecordedCall): boolean {
  if (request === undefined) return true;
  if (!isDeepStrictEqual(toTexts(request.params ?? {}), toTexts(query))) return false;
  const { data } = request;
  if (data === undefined || (typeof data === "string" && data.startsWith("sha1:"))) return true;
  if (body === undefined || "base64" in body) return false;
  const sent = "json" in body ? body.json : body.text;
  return isDeepStrictEqual(toJson(data), toJson(sent)) || String(data) === sent;
}

/** Of a name that is given more than once, that format keeps the last value. */
function toTexts(values: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.toLowerCase(),
      String([value].flat().at(-1)),
    ]),
  );
}

function toAnswer({ response, status = 200, headers = {} }: OtherEntry): HostAnswer {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(content-length|content-encoding|transfer-encoding)$/i.test(name),
  );
  const isText = typeof response === "string";
  const type = isText ? "text/plain" : "application/json";
  const body = isText ? response : response === undefined ? "" : JSON.stringify(response);
  return {
    value: {
      status,
      statusText: "",
      headers: { "content-type": type, ...toTexts(Object.fromEntries(kept)) },
    },
    body: Buffer.from(body),
  };
}

/** What a dry run there reads of the server; credentials are in no recording. */
function readFact(
  own: OwnConnection & { readonly provider: string },
  { nango = {} }: OtherRecording,
  { method }: HostCall,
): unknown {
  const time = "2026-01-01T00:00:00.000Z";
  const times = { created_at: time, updated_at: time };
  switch (method) {
    case "getConnection":
      return {
        ...{ id: 1, connection_config: {}, credentials: {}, tags: {}, ...times },
        ...nango.getConnection,
        connection_id: own.connectionId,
        provider_config_key: own.providerConfigKey,
        provider: own.provider,
        metadata: nango.getMetadata ?? null,
      };
    case "getIntegration":
      return {
        ...{ unique_key: own.providerConfigKey, provider: own.provider, logo: "", ...times },
        display_name: own.providerConfigKey,
      };
    case "getEnvironmentVariables":
      return [];
    default:
      return undefined;
  }
}

function byId(records: readonly Record<string, unknown>[]): Record<string, unknown> {
  return Object.fromEntries(records.map((record) => [String(record["id"]), record]));
}

function presentCall({ call, params, body }: RecordedCall): string {
  const rest = { ...params, ...(body !== undefined && { body }) };
  return Object.keys(rest).length === 0
    ? call
    : `${call} with ${JSON.stringify(rest).slice(0, 500)}`;
}

function toJson(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}
