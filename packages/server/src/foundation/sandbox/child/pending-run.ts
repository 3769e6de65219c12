import { randomUUID } from "node:crypto";
import type { RunError, ToChild } from "@jackfield/contract/runtime";
import type { SandboxOutcome, SandboxRun } from "../types.ts";

/** A run from its arrival to its outcome, through one process or, after another's fault, two. */
export class PendingRun {
  readonly id: string = randomUUID();
  readonly run: SandboxRun;
  /** Only runs with the same key may ever share a process. */
  readonly key: string;
  readonly queuedAt: number = performance.now();
  readonly environmentId: string;
  readonly outcome: Promise<SandboxOutcome>;
  readonly depth: number;
  exclusive: boolean;
  attempts = 0;
  /** Whether it asked for something that must not happen twice. */
  hasWritten = false;
  isSettled = false;
  #assignedAt = 0;
  #isCold = false;
  readonly #resolve: (outcome: SandboxOutcome) => void;

  constructor(run: SandboxRun) {
    this.run = run;
    this.environmentId = run.environmentId;
    this.key = JSON.stringify([run.environmentId, run.bundle.id]);
    this.exclusive = run.exclusive;
    this.depth = run.depth ?? 0;
    const { promise, resolve } = Promise.withResolvers<SandboxOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
  }

  /** A process takes it, which has loaded its code before or not. */
  assign(hasCode: boolean): void {
    this.attempts += 1;
    this.#isCold ||= !hasCode;
    if (this.attempts === 1) this.#assignedAt = performance.now();
  }

  /** The message that begins it in its process, which is ready for it. */
  begin(): ToChild {
    const { facts, onBegin } = this.run;
    onBegin?.({
      waitMs: this.#assignedAt - this.queuedAt,
      startMs: performance.now() - this.#assignedAt,
      isCold: this.#isCold,
    });
    return "seed" in facts
      ? { op: "script", runId: this.id, facts }
      : { op: "run", runId: this.id, facts };
  }

  settle(outcome: SandboxOutcome): void {
    this.isSettled = true;
    this.#resolve(outcome);
  }

  fail(error: RunError): void {
    this.settle({ kind: "failed", error });
  }
}

export const ABORTED: RunError = { type: "script_aborted", message: "The run was cancelled." };
