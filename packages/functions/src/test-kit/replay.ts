import { STATUS_CODES } from "node:http";
import { isDeepStrictEqual } from "node:util";
import canonicalize from "canonicalize";
import { findDifferences } from "./differences.ts";
import { HostFailure } from "./host-failure.ts";
import type { Forward, HostAnswer } from "./local-host.ts";
import type { HostCall } from "./local-methods.ts";
import { describeCall, type OwnConnection } from "./record-calls.ts";
import { fromRecordedBody, type RecordedCall } from "./recording.ts";
import { redactCall } from "./redact.ts";

const NO_SECRETS: ReadonlySet<string> = new Set();

export interface Replay {
  readonly forward: Forward;
  /** What did not fit: calls that nothing was recorded for, and answers that nobody asked for. */
  readonly listProblems: () => string[];
}

/**
 * Answers calls from a recording. A call gets the answer of the first recorded call that asks for the same and was
 * not used yet; so repeated calls get their answers in the recorded order.
 */
export function replayCalls(own: OwnConnection, recorded: readonly RecordedCall[]): Replay {
  const waiting = recorded.map((call) => ({ call, key: identify(call), isUsed: false }));
  const problems: string[] = [];
  return {
    forward: async (call) => {
      const asked = redactCall(describeCall(own, call), NO_SECRETS);
      const key = identify(asked);
      const match = waiting.find((candidate) => !candidate.isUsed && candidate.key === key);
      if (match !== undefined) {
        match.isUsed = true;
        return toAnswer(call, match.call);
      }
      const message = explainMiss(asked, waiting);
      problems.push(message);
      throw new HostFailure({ type: "not_recorded", message });
    },
    listProblems: () => [
      ...problems,
      ...waiting
        .filter(({ isUsed }) => !isUsed)
        .map(({ call }) => `recorded and not asked for: ${describeBriefly(call)}`),
    ],
  };
}

function identify({ call, params, body }: RecordedCall): string {
  return canonicalize({ call, params, body }) ?? "";
}

function toAnswer({ method, params }: HostCall, recorded: RecordedCall): HostAnswer {
  if (recorded.failure !== undefined) throw new HostFailure(recorded.failure);
  const { status = 200, headers = {}, value = null, body } = recorded.answer ?? {};
  const bytes = fromRecordedBody(body);
  if (method === "proxy") {
    const statusText = STATUS_CODES[status] ?? "";
    return { value: { status, statusText, headers }, body: bytes };
  }
  if (method === "fetch") {
    const pairs = Object.entries(headers).map(([name, text]) => [name, String(text)]);
    const url = typeof params === "object" && params !== null && "url" in params ? params.url : "";
    return { value: { status, headers: pairs, url, redirected: false }, body: bytes };
  }
  return { value, body: bytes };
}

function explainMiss(
  asked: RecordedCall,
  waiting: readonly { call: RecordedCall; isUsed: boolean }[],
): string {
  const what = `nothing is recorded for ${describeBriefly(asked)}`;
  const sameCall = waiting.filter(({ call }) => call.call === asked.call);
  if (sameCall.some(({ call }) => isDeepStrictEqual(identify(call), identify(asked)))) {
    return `${what}: it was recorded ${sameCall.length} time${sameCall.length === 1 ? "" : "s"}, and is asked for once more`;
  }
  const unused = sameCall.filter(({ isUsed }) => !isUsed);
  const [closest] = (unused.length > 0 ? unused : sameCall)
    .map(({ call }) => findDifferences(withoutAnswer(call), withoutAnswer(asked)))
    .toSorted((first, second) => first.length - second.length);
  if (closest !== undefined)
    return `${what}; it differs from the recorded one: ${closest.join("; ")}`;
  const known = [...new Set(waiting.map(({ call }) => call.call))].join(", ");
  return `${what}; recorded are: ${known === "" ? "no calls" : known}`;
}

function withoutAnswer({ params, body }: RecordedCall): object {
  return { ...params, ...(body !== undefined && { body: "json" in body ? body.json : body }) };
}

function describeBriefly({ call, params }: RecordedCall): string {
  const query = params?.["query"];
  if (typeof query !== "object" || query === null) return call;
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  return `${call}?${new URLSearchParams(pairs)}`;
}
