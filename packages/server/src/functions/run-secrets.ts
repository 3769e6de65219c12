import type { RunError } from "@jackfield/contract/runtime";
import { boundValue } from "#logs";
import type { Call, CallAnswer } from "#platform/sandbox";

const HIDDEN = "[redacted]";
// Shorter ones stand in ordinary words.
const SHORTEST = 8;
const MOST = 200;
const MAX_DEPTH = 8;

/** Fields among credentials that tell nobody anything. */
const plainFields: ReadonlySet<string> = new Set([
  ...["type", "expires_at", "expires_in", "token_type", "scope", "scopes", "username"],
  ...["client_id", "app_id", "app_link", "region", "service", "role_arn", "host"],
]);

/** Credentials and variables that a run was given, to be kept out of its log lines and failures. */
export class RunSecrets {
  readonly #credentials = new Set<string>();
  readonly #variables = new Set<string>();

  /** The call as it may be kept, and from now on without what its answer gives. */
  async pass(call: Call, ask: (call: Call) => Promise<CallAnswer>): Promise<CallAnswer> {
    if (call.method === "log") {
      return await ask({ ...call, params: this.#hide(boundLogged(call.params)) });
    }
    const answer = await ask(call);
    if (call.method === "getConnection" || call.method === "getIntegration") {
      const { credentials }: { credentials?: unknown } = Object(answer.value);
      collect(credentials, this.#credentials);
    }
    if (call.method === "getEnvironmentVariables") collect(answer.value, this.#variables, "name");
    return answer;
  }

  /** The payload of an ActionError is the author's word to the caller: variables may stand in it. */
  hideIn(error: RunError): RunError {
    if (error.type !== "action_script_runtime_error") return this.#hide(error);
    const { payload, ...rest } = error;
    const hidden = this.#hide(rest);
    return payload === undefined
      ? hidden
      : { ...hidden, payload: hide(payload, [...this.#credentials]) };
  }

  #hide<Value>(value: Value): Value {
    return hide(value, [...this.#credentials, ...this.#variables]);
  }
}

function collect(value: unknown, into: Set<string>, plain?: string, depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === "string") {
    if (value.length >= SHORTEST) keep(value, into);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    if (!plainFields.has(name) && name !== plain) collect(each, into, plain, depth + 1);
  }
}

/** The ones read last: a run over many connections tells of the one that it is at. */
function keep(secret: string, into: Set<string>): void {
  into.delete(secret);
  into.add(secret);
  const [oldest] = into;
  if (into.size > MOST && oldest !== undefined) into.delete(oldest);
}

/** The value with every text in it that holds a secret rewritten; the same one where there is none. */
function hide<Value>(value: Value, secrets: readonly string[]): Value {
  // Looked for once in the whole, since thousands of texts times hundreds of secrets take long.
  const whole = JSON.stringify(value) ?? "";
  const found = secrets.filter((secret) => whole.includes(JSON.stringify(secret).slice(1, -1)));
  if (found.length === 0) return value;
  // The longest first: one may be part of another.
  const sorted = found.toSorted((a, b) => b.length - a.length);
  return asValue<Value>(hideAt(value, sorted, 0));
}

function hideAt(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === "string") return hideIn(value, secrets);
  if (typeof value !== "object" || value === null || depth > 4 * MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((each) => hideAt(each, secrets, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      hideIn(name, secrets),
      hideAt(each, secrets, depth + 1),
    ]),
  );
}

function hideIn(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

/** A log line's message is bounded by the schema of the call, its meta is not. */
function boundLogged(params: unknown): unknown {
  const { meta, ...rest }: { meta?: unknown } = Object(params);
  return meta === undefined ? params : { ...rest, meta: boundValue(meta) };
}

/** Only texts have been replaced by texts. */
function asValue<Value>(hidden: unknown): Value {
  return hidden as Value;
}
