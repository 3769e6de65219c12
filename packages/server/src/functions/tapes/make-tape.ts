import { setImmediate as yieldToLoop } from "node:timers/promises";
import type { TapeBody, TapeCall, TapeFile, TapeOutcome } from "@jackfield/contract";
import type { RunError, RunFacts } from "@jackfield/contract/runtime";
import type { SandboxOutcome } from "#foundation/sandbox";
import type { RawBody, RawCall, RunRecorder } from "./run-recorder.ts";
import { hideInText, hideNamed } from "./tape-text.ts";

/** So much is rewritten before other work runs. */
const SLICE_BYTES = 256 * 1024;

export interface RecordedRun {
  readonly recorder: RunRecorder;
  readonly facts: RunFacts;
  readonly input: Uint8Array | undefined;
  readonly version: string;
  readonly outcome: SandboxOutcome;
}

/** The tape of a run that has ended, without the secrets that its calls have shown. */
export async function makeTape({
  recorder,
  facts,
  input,
  version,
  outcome,
}: RecordedRun): Promise<TapeFile> {
  const { tape: _, ...known } = facts;
  const { secrets } = recorder;
  const named = new Hiding((value) => secrets.add(value));
  for (const { method, answer } of recorder.calls) {
    if (answer === undefined) continue;
    if (method === "getEnvironmentVariables" && Array.isArray(answer.value)) {
      for (const each of answer.value) secrets.add(String(Object(each).value));
    }
  }
  const raw = { input: named.body(toRaw(input)), outcome: named.outcome(outcome) };
  const calls: TapeCall[] = [];
  for (const call of recorder.calls) {
    calls.push(named.call(call));
    if (named.isSliceDone(call.bytes)) await yieldToLoop();
  }
  // Twice: what the last call has shown may be in the first.
  const shown: TapeCall[] = [];
  for (const [at, call] of calls.entries()) {
    shown.push(toShown<TapeCall>(secrets.hide(call)));
    if (named.isSliceDone(recorder.calls[at]?.bytes ?? 0)) await yieldToLoop();
  }
  const hidden = toShown<typeof raw>(secrets.hide(raw));
  return {
    format: 1,
    operation_id: facts.operationId,
    recorded_at: recorder.startedAt.toISOString(),
    reason: recorder.reason,
    function: {
      provider_config_key: facts.providerConfigKey,
      name: facts.functionName,
      version,
    },
    facts: toShown<typeof known>(secrets.hide(known)),
    seed: recorder.seed,
    started_at_ms: recorder.startedAtMs,
    ...(hidden.input === undefined ? {} : { input: hidden.input }),
    calls: shown,
    moments: recorder.moments.map(([on, at, reads]) => [on, at, [...reads]]),
    outcome: hidden.outcome,
    begins_at: recorder.beginsAt ?? null,
    cut: recorder.cut ?? null,
  };
}

/** Only texts have been replaced by texts. */
function toShown<Value>(hidden: unknown): Value {
  return hidden as Value;
}

function toRaw(bytes: Uint8Array | undefined): RawBody | undefined {
  return bytes === undefined || bytes.byteLength === 0 ? undefined : { bytes };
}

/** Takes out what is named like a credential. */
class Hiding {
  readonly #onSecret: (value: string) => void;
  #done = 0;

  constructor(onSecret: (value: string) => void) {
    this.#onSecret = onSecret;
  }

  isSliceDone(bytes: number): boolean {
    this.#done += bytes;
    if (this.#done < SLICE_BYTES) return false;
    this.#done = 0;
    return true;
  }

  call({ id, method, params, body, answer, failure, askedMs, tookMs }: RawCall): TapeCall {
    const sent = this.body(body);
    const answered = this.body(answer?.body);
    return {
      ...{ id, method, params: this.#params(method, params) },
      ...(sent === undefined ? {} : { body: sent }),
      ...(answer === undefined
        ? {}
        : {
            answer: {
              value: this.#answer(method, answer.value),
              ...(answered === undefined ? {} : { body: answered }),
            },
          }),
      ...(failure === undefined ? {} : { failure: this.#error(failure) }),
      ...{ asked_ms: askedMs, took_ms: tookMs },
    };
  }

  body(body: RawBody | undefined): TapeBody | undefined {
    if (body === undefined) return undefined;
    if ("cut" in body) return body;
    const text = decode(body.bytes);
    if (text === undefined) return { base64: Buffer.from(body.bytes).toString("base64") };
    return { text: hideInText(text, this.#onSecret) };
  }

  outcome(outcome: SandboxOutcome): TapeOutcome {
    if (outcome.kind === "failed") return { kind: "failed", error: this.#error(outcome.error) };
    const output = this.body(toRaw(outcome.output));
    const { interrupted } = outcome;
    return { kind: "done", interrupted, ...(output === undefined ? {} : { output }) };
  }

  #params(method: string, params: unknown): unknown {
    // Ids may be named like anything.
    return method.startsWith("batch") ? params : hideNamed(params, this.#onSecret);
  }

  /** Variables of an environment are what somebody has not put into the code. */
  #answer(method: string, value: unknown): unknown {
    if (method !== "getEnvironmentVariables" || !Array.isArray(value)) {
      return hideNamed(value, this.#onSecret);
    }
    return value.map((each) => {
      const { name, value: text } = Object(each);
      return { name, value: String(text).length < 6 ? text : "[redacted]" };
    });
  }

  #error(error: RunError): RunError {
    return toShown<RunError>(hideNamed(error, this.#onSecret));
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
