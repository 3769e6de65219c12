import type { RunError, RuntimeMethod, RuntimeResult } from "@jackfield/contract/runtime";
import {
  fromRunError,
  RunFailure,
  type RuntimeAnswer,
  type RuntimeChannel,
} from "@jackfield/functions/runtime";
import type { HostLink } from "./host-link.ts";

const runEnded = { type: "run_ended", message: "The run has already ended." };
const NO_BYTES = new Uint8Array(0);
/** Kept from the start, for a function may put another in its place. */
const NativePromise = Promise;

type Settlement =
  | { readonly value: unknown; readonly body: Uint8Array }
  | { readonly error: RunError };

interface Pending {
  readonly runId: string;
  readonly resolve: (settlement: Settlement) => void;
}

/** The calls to the host that wait for their answer. */
export class HostCalls {
  readonly #link: HostLink;
  /** Without a prototype and not a Map: its methods could be replaced by a function. */
  readonly #pending: Record<string, Pending> = Object.create(null);
  readonly #isRunning: (runId: string) => boolean;
  readonly #onCall: () => void;
  #count = 0;

  constructor(link: HostLink, isRunning: (runId: string) => boolean, onCall: () => void) {
    this.#link = link;
    this.#isRunning = isRunning;
    this.#onCall = onCall;
  }

  channelOf(runId: string): RuntimeChannel {
    return {
      call: (method, params, body) => this.#call({ runId, method, params, body }),
    };
  }

  settle(callId: string, settlement: Settlement): void {
    const pending = this.#pending[callId];
    delete this.#pending[callId];
    pending?.resolve(settlement);
  }

  /** Nobody answers the calls of a run that is over. */
  forget(runId: string): void {
    for (const callId in this.#pending) {
      if (this.#pending[callId]?.runId === runId) delete this.#pending[callId];
    }
  }

  /** The failure is made here, behind the await, so that its stack leads to the function's own line. */
  async #call<Method extends RuntimeMethod>(call: {
    runId: string;
    method: Method;
    params: unknown;
    body: Uint8Array | undefined;
  }): Promise<RuntimeAnswer<Method>> {
    const { runId, method, params, body } = call;
    if (!this.#isRunning(runId)) throw new RunFailure(runEnded);
    this.#count += 1;
    const callId = `${this.#count}`;
    this.#link.send({ op: "call", runId, callId, method, params }, body ?? NO_BYTES);
    this.#onCall();
    const settlement = await new NativePromise<Settlement>((resolve) => {
      this.#pending[callId] = { runId, resolve };
    });
    if ("error" in settlement) throw fromRunError(settlement.error);
    return { value: toRuntimeResult<Method>(settlement.value), body: settlement.body };
  }
}

/** The host answers each method as the contract says. */
function toRuntimeResult<Method extends RuntimeMethod>(value: unknown): RuntimeResult<Method> {
  return value as RuntimeResult<Method>;
}
