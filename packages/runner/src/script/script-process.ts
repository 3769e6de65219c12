import type { Frame } from "@jackfield/contract/frames";
import type { RunError } from "@jackfield/contract/runtime";
import type { ScriptFacts } from "@jackfield/contract/script";
import type { scriptLimits } from "@jackfield/contract/script-limits";
import type { ProcessAccess } from "../close-process.ts";
import type { HostLink, openHostLink } from "../host-link.ts";
import type { Inside, setUp } from "./realm.ts";

interface Parts {
  readonly access: ProcessAccess;
  readonly compile: (code: string) => unknown;
  readonly setUp: typeof setUp;
  readonly limits: typeof scriptLimits;
}

interface Delivery {
  readonly index: number;
  readonly isFailure: boolean;
  readonly json: string;
  readonly atMs: number;
}

const LONGEST_MESSAGE = 1000;

/** One script from its text to its end. The host is trusted, and what the script does to its realm stays there. */
export class ScriptProcess {
  readonly #parts: Parts;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #deliveries: Delivery[] = [];
  #link: HostLink | undefined;
  #body: unknown;
  #realm: Inside | undefined;
  #runId = "";
  #calls = 0;
  #answered = 0;
  #clockMs = 0;
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(open: typeof openHostLink): void {
    this.#link = open({
      onFrame: (frame) => this.#take(frame),
      onClose: () => this.#parts.access.exit(0),
    });
    this.#link.send({ op: "ready" });
  }

  /** Ends the script with what went wrong in the program around it. */
  fail(message: string): void {
    this.#end({ type: "script_error", message: message.slice(0, LONGEST_MESSAGE) });
  }

  #take({ head, body }: Frame): void {
    const message: Record<string, unknown> = { ...Object(head) };
    switch (message["op"]) {
      case "load":
        this.#load(this.#decoder.decode(body));
        break;
      case "script":
        this.#run(String(message["runId"]), toFacts(message["facts"]), body);
        break;
      case "result": {
        const { atMs } = Object(message["value"]);
        this.#queue(message, { isFailure: false, json: this.#decoder.decode(body), atMs });
        break;
      }
      case "failure": {
        const { payload } = Object(message["error"]);
        const { at_ms: atMs, ...failure } = Object(payload);
        this.#queue(message, { isFailure: true, json: JSON.stringify(failure), atMs });
        break;
      }
      case "ping":
        this.#link?.send({ op: "pong" });
        break;
      case "cancel":
        this.#end({ type: "script_aborted", message: "The script was stopped." });
    }
  }

  #load(code: string): void {
    try {
      this.#body = this.#parts.compile(code);
      if (typeof this.#body !== "function") throw new SyntaxError("it is no body of a function");
    } catch (error) {
      const { message, code } = Object(error);
      const reason = code === "ERR_INTERNAL_ASSERTION" ? "it is nested too deep" : String(message);
      const text = `The script is not valid TypeScript: ${reason}`.slice(0, LONGEST_MESSAGE);
      this.#link?.send({ op: "load-failed", error: { type: "script_invalid", message: text } });
      return;
    }
    this.#link?.send({ op: "loaded" });
  }

  #run(runId: string, { seed, startedAtMs }: ScriptFacts, input: Uint8Array): void {
    this.#runId = runId;
    this.#clockMs = startedAtMs;
    this.#realm = this.#parts.setUp(
      {
        call: (integration, tool, account, text) => this.#call(integration, tool, account, text),
        done: (end) => this.#done(end),
        failed: (failure) => this.#failed(failure),
      },
      this.#parts.limits,
    );
    this.#realm.start(this.#body, this.#decoder.decode(input), seed, startedAtMs);
    setImmediate(() => this.#settleIfAtRest());
  }

  #call(integration: string, tool: string, account: string | undefined, input: string): void {
    const index = this.#calls;
    this.#calls += 1;
    const params = { index, integration, tool, ...(account === undefined ? {} : { account }) };
    const call = {
      op: "call",
      runId: this.#runId,
      callId: `${index}`,
      method: "callTool",
    } as const;
    this.#link?.send({ ...call, params }, this.#encoder.encode(input));
  }

  /** One answer at a time, each with all that follows from it: so it is again when the script is resumed. */
  #queue(
    { callId }: Record<string, unknown>,
    { atMs, ...answer }: Omit<Delivery, "index" | "atMs"> & { readonly atMs: unknown },
  ): void {
    const at = typeof atMs === "number" ? atMs : this.#clockMs;
    this.#deliveries.push({ ...answer, index: Number(callId), atMs: at });
    if (this.#deliveries.length === 1) setImmediate(() => this.#deliverNext());
  }

  #deliverNext(): void {
    const [next] = this.#deliveries;
    if (next === undefined || this.#isOver) return;
    this.#answered += 1;
    this.#realm?.deliver(next.index, next.isFailure, next.json, next.atMs);
    setImmediate(() => {
      this.#deliveries.shift();
      if (this.#deliveries.length > 0) this.#deliverNext();
      else this.#settleIfAtRest();
    });
  }

  /** Without timers and calls under way nothing can happen any more. */
  #settleIfAtRest(): void {
    if (!this.#isOver && this.#answered === this.#calls) this.#realm?.settle();
  }

  #done(end: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      this.#link?.send({ op: "done", runId: this.#runId }, this.#encoder.encode(end));
    } catch {
      this.#isOver = false;
      this.fail("What the script returns is too large.");
    }
  }

  #failed(failure: string): void {
    const { message, ...payload } = JSON.parse(failure);
    this.#end({ type: "script_error", message: String(message), payload });
  }

  #end(error: RunError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#link?.send({ op: "failed", runId: this.#runId, error });
  }
}

/** The host made these facts with the contract's type. */
function toFacts(value: unknown): ScriptFacts {
  return Object(value);
}
