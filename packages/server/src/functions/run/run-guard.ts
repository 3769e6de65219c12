import { type Call, CallError, isRepeatable } from "#foundation/sandbox";
import { changesSomething, type OwnProvider } from "./effects/classify-call.ts";
import type { FunctionRun } from "./function-run.ts";

/** Calls that a run may make while its question has no answer: a log line, and further questions of the same moment. */
const whileAsking: ReadonlySet<string> = new Set(["log", "elicit"]);

interface Guarded {
  readonly caller: FunctionRun["caller"];
  /** An action whose author says that it reads, or that such a one has called. */
  readonly readsOnly: boolean;
  readonly provider: OwnProvider;
  /** Hears of a call that was stopped since the action may only read. */
  readonly onViolation: (message: string) => void;
}

/**
 * What a run may do, by what it is and what it has done. An action that reads changes nothing, since each of its calls
 * comes by here; one that has asked its user runs again, and must not have changed anything before.
 */
export class RunGuard {
  readonly #run: Guarded;
  #hasChanged = false;

  constructor(run: Guarded) {
    this.#run = run;
  }

  /** Throws a CallError for a call that may not be made. */
  async admit(call: Call, hide: <Value>(value: Value) => Value): Promise<void> {
    const { caller, readsOnly, provider, onViolation } = this.#run;
    const { method, params } = call;
    if (caller?.isAsking === true && !whileAsking.has(method)) throw inputRequired();
    if (method === "elicit" && this.#hasChanged) {
      throw new CallError({
        type: "elicitation_too_late",
        message: "Ask before the action changes anything: with the answer it runs again.",
      });
    }
    const changes = changesSomething(call, provider);
    // What a nested action does is looked at in its own run, which may only read, too.
    if (readsOnly && changes && method !== "triggerAction") {
      const message = `The action says that it only reads (effect: "read"); ${describe(call)} was not sent.`;
      onViolation(message);
      throw new CallError({ type: "effect_violation", message });
    }
    if (changes && !readsOnly) await caller?.admitChange?.(call, hide);
    if (!isRepeatable(method, params)) this.#hasChanged = true;
  }
}

function describe({ method, params }: Call): string {
  const { method: verb, endpoint, url } = { ...Object(params) };
  if (method !== "proxy" && method !== "fetch") return `svc.${method}`;
  const [path] = String(endpoint ?? url).split("?");
  return `${String(verb).slice(0, 20)} ${String(path).slice(0, 200)}`;
}

export function inputRequired(): CallError {
  const message = "The action waits for an answer, and runs again when it has come.";
  return new CallError({ type: "input_required", message });
}
