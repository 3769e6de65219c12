import type { RunError } from "@jackfield/contract/runtime";
import { LRUCache } from "lru-cache";
import type { Call, CallAnswer } from "#foundation/sandbox";
import { boundValue } from "#logs";
import { SecretTrie } from "./secret-trie.ts";

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
  readonly #credentials = new Kept();
  readonly #variables = new Kept();

  /** The call as it may be kept, and from now on without what its answer gives. */
  async pass(call: Call, ask: (call: Call) => Promise<CallAnswer>): Promise<CallAnswer> {
    if (call.method === "log") {
      return await ask({ ...call, params: this.hide(boundLogged(call.params)) });
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
    if (error.type !== "action_script_runtime_error") return this.hide(error);
    const { payload, ...rest } = error;
    const hidden = this.hide(rest);
    return payload === undefined ? hidden : { ...hidden, payload: this.#credentials.hide(payload) };
  }

  /** The value without any of them. */
  hide<Value>(value: Value): Value {
    return this.#variables.hide(this.#credentials.hide(value));
  }
}

/** Secrets of one kind: the ones read last, since a run over many connections tells of the one that it is at. */
class Kept {
  readonly #trie = new SecretTrie();
  readonly #secrets = new LRUCache<string, true>({
    max: MOST,
    dispose: (_true, secret) => this.#trie.delete(secret),
  });

  keep(secret: string): void {
    if (!this.#secrets.has(secret)) this.#trie.add(secret);
    this.#secrets.set(secret, true);
  }

  /** The value with every text in it that holds a secret rewritten. */
  hide<Value>(value: Value): Value {
    return this.#trie.isEmpty ? value : asValue<Value>(this.#hideAt(value, 0));
  }

  #hideAt(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#trie.hideIn(value, HIDDEN);
    if (typeof value !== "object" || value === null || depth > 4 * MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((each) => this.#hideAt(each, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        this.#trie.hideIn(name, HIDDEN),
        this.#hideAt(each, depth + 1),
      ]),
    );
  }
}

function collect(value: unknown, into: Kept, plain?: string, depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === "string") {
    if (value.length >= SHORTEST) into.keep(value);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    if (!plainFields.has(name) && name !== plain) collect(each, into, plain, depth + 1);
  }
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
