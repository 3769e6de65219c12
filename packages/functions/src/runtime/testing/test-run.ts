import type { RunFacts, RuntimeMethod } from "@jackfield/contract/runtime";
import { runtimeMethods } from "@jackfield/contract/runtime";
import type { SvcSync } from "../../svc.ts";
import { createSvc } from "../create-svc.ts";
import { type RunSchemas, type RuntimeAnswer, type RuntimeChannel, startRun } from "../run.ts";

export interface HostCall {
  readonly method: RuntimeMethod;
  readonly params: Record<string, unknown>;
  readonly body: string;
}

export interface HostAnswer {
  readonly value?: unknown;
  readonly body?: string | Uint8Array;
}

/** Calls that are answered with where their changes stand in the order. */
const writes: ReadonlySet<RuntimeMethod> = new Set(["batchSave", "batchDelete"]);

/** A host in the test: it checks each call as the real one does and answers what the test says. */
class TestChannel implements RuntimeChannel {
  readonly calls: HostCall[] = [];
  readonly #answer: (call: HostCall) => HostAnswer;

  constructor(answer: (call: HostCall) => HostAnswer) {
    this.#answer = answer;
  }

  async call<Method extends RuntimeMethod>(
    method: Method,
    params: unknown,
    body?: Uint8Array,
  ): Promise<RuntimeAnswer<Method>> {
    const checked = runtimeMethods[method].params.parse(JSON.parse(JSON.stringify(params)));
    const text = Buffer.from(body ?? []).toString();
    const call = { method, params: { ...Object(checked) }, body: text };
    this.calls.push(call);
    const answer = this.#answer(call);
    const value = answer.value ?? (writes.has(method) ? { range: [0, 0] } : null);
    return toAnswer({ value, body: Buffer.from(answer.body ?? "") });
  }
}

/** The test's answers stand for the host's, which the contract types. */
function toAnswer<Method extends RuntimeMethod>(answer: {
  value: unknown;
  body: Uint8Array;
}): RuntimeAnswer<Method> {
  return answer as RuntimeAnswer<Method>;
}

const facts: RunFacts = {
  kind: "sync",
  functionName: "contacts",
  environmentName: "dev",
  environmentId: "e",
  connectionId: "c1",
  providerConfigKey: "crm",
  provider: "crm-provider",
  variant: "base",
  operationId: "op",
  loggerLevel: "info",
  validation: { input: "off", output: "off", records: "off", metadata: "off", checkpoint: "off" },
  outputLimitBytes: 1000,
};

/** A run whose context is typed as a sync's, with its calls and a clock to move. */
export function testRun(
  options: {
    facts?: Partial<RunFacts>;
    schemas?: Partial<RunSchemas>;
    answer?: (call: HostCall) => HostAnswer;
  } = {},
) {
  const channel = new TestChannel(options.answer ?? (() => ({})));
  const clock = { nowMs: 1000 };
  const run = startRun({
    facts: { ...facts, ...options.facts },
    channel,
    schemas: { models: {}, ...options.schemas },
    nowMs: () => clock.nowMs,
  });
  return { run, clock, calls: channel.calls, svc: toSyncContext(createSvc(run)) };
}

/** Sync members are there when the facts say sync or webhook, as they do unless a test asks otherwise. */
function toSyncContext(svc: ReturnType<typeof createSvc>): SvcSync {
  return svc as SvcSync;
}

export function answerJson(body: unknown, headers: Record<string, string> = {}): HostAnswer {
  return { value: { status: 200, statusText: "OK", headers }, body: JSON.stringify(body) };
}
