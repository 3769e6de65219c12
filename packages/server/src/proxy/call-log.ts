import { type EnvironmentContext, newTimeId, type OperationId } from "#foundation";
import { toUpstreamError } from "#foundation/egress";
import { logMessage } from "#logs";

/** An attempt that is followed by another. */
export interface FailedAttempt {
  /** Counted from 0. */
  readonly attempt: number;
  readonly status?: number | undefined;
  /** Why there was no answer at all. */
  readonly failure?: unknown;
  /** Undefined where the next follows at once, with renewed credentials. */
  readonly waitMs?: number;
}

type Phase = "credentials" | "wait";

/** Milliseconds that a call has spent: on credentials, on waits between attempts, and at the provider. */
export type CallTiming = Readonly<Record<Phase | "upstream", number>>;

/** What one call is remembered by: the messages of its attempts, and where its time went. */
export class CallLog {
  readonly #ctx: EnvironmentContext;
  readonly #spentMs = { credentials: 0, wait: 0, upstream: 0 };
  readonly startedAt: Date;
  #sentAt = 0;
  #quotaWaitMs = 0;
  #operationId: OperationId | undefined;

  constructor(ctx: EnvironmentContext) {
    this.#ctx = ctx;
    this.#operationId = ctx.actor.kind === "function" ? ctx.actor.operationId : undefined;
    this.startedAt = ctx.clock.now();
  }

  /** Undefined while nothing but the call itself was logged; of a run, the run's own. */
  get operationId(): OperationId | undefined {
    return this.#operationId;
  }

  async time<Result>(phase: Phase, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#spentMs[phase] += performance.now() - startedAt;
    }
  }

  /** The header, name and value, that says for how many milliseconds the provider's rate limit held the call back. */
  presentQuotaWait(): string[] {
    const ms = Math.round(this.#quotaWaitMs);
    return ms === 0 ? [] : ["Svc-Rate-Limit-Waited", String(ms)];
  }

  sent(quotaWaitMs = 0): void {
    this.#quotaWaitMs += quotaWaitMs;
    this.#sentAt = performance.now();
  }

  answered(): void {
    this.#spentMs.upstream += performance.now() - this.#sentAt;
  }

  retrying({ attempt, status, failure, waitMs }: FailedAttempt): void {
    this.#operationId ??= newTimeId<OperationId>(this.startedAt);
    const upstream = failure === undefined ? undefined : toUpstreamError(failure, "The provider");
    const reason =
      upstream === undefined ? `was answered with ${status}` : `failed: ${upstream.message}`;
    const pause = waitMs === undefined ? "with renewed credentials" : `in ${Math.round(waitMs)} ms`;
    logMessage(this.#ctx, {
      operationId: this.#operationId,
      level: "warn",
      source: "internal",
      type: "http",
      context: "proxy",
      meta: { retry: { attempt: attempt + 1, waited_ms: Math.round(waitMs ?? 0) } },
      message: `Attempt ${attempt + 1} ${reason}; the next follows ${pause}.`,
      ...(status === undefined ? {} : { response: { code: status } }),
      ...(upstream === undefined
        ? {}
        : { error: { type: upstream.code, message: upstream.message } }),
    });
  }

  /** Of all attempts so far. */
  get timing(): CallTiming {
    return { ...this.#spentMs };
  }

  /** Value of a Server-Timing header; `auth` in milliseconds. */
  presentTiming(authMs: number): string {
    const { credentials, wait, upstream } = this.#spentMs;
    const phases = Object.entries({ auth: authMs, credentials, wait, upstream });
    return phases.map(([name, ms]) => `${name};dur=${ms.toFixed(2)}`).join(", ");
  }
}
