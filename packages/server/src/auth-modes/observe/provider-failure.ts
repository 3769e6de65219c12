import type { ConnectStage, ErrorCode } from "@jackfield/contract";
import { AppError } from "#foundation";

/**
 * What has to happen next. `revoked`: authorize again. `misconfigured`: the OAuth client or the integration has to be
 * corrected. `unavailable`: try later. `refused`: the message says it.
 */
export type FailureKind = "revoked" | "misconfigured" | "unavailable" | "refused";

/** How an end user's way through the authorization server ended without a connection. */
export type FailedEnding =
  | "authorization_cancelled"
  | "invalid_callback"
  | "issuer_mismatch"
  | "token_err"
  | "token_request_failed";

/** Where a connection failed, and what the provider answered last; it may be shown to the customer. */
export interface StageFacts {
  readonly stage: ConnectStage;
  /** Undefined where no answer came, or none was asked for. */
  readonly upstream?: { readonly status: number; readonly body: string } | undefined;
}

export interface FailureFacts {
  readonly stage?: StageFacts["stage"] | undefined;
  readonly upstream?: StageFacts["upstream"];
  /** What the API answers; the refusal of credentials unless another is known. */
  readonly code?: ErrorCode;
  readonly ending?: FailedEnding | undefined;
  /** Error code of the answer, cut to what codes are made of. */
  readonly providerError?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The provider answered 2xx, but with nothing to use: no outage, if it continues. */
  readonly withoutToken?: boolean;
  /** Nobody was asked: the provider has just failed too often. */
  readonly wasHeldBack?: boolean;
  readonly details?: AppError["details"];
  readonly cause?: unknown;
}

/** Why a provider gave nothing that can be used; the message may be shown to the customer. */
export class ProviderFailure extends AppError {
  override name = "ProviderFailure";
  readonly kind: FailureKind;
  readonly stage: StageFacts["stage"] | undefined;
  readonly upstream: StageFacts["upstream"];
  readonly ending: FailedEnding | undefined;
  readonly providerError: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly withoutToken: boolean;
  readonly wasHeldBack: boolean;

  constructor(kind: FailureKind, message: string, facts: FailureFacts = {}) {
    const { code = "connection_test_failed", details, cause } = facts;
    super(code, message, { cause, ...(details && { details }) });
    this.kind = kind;
    this.stage = facts.stage;
    this.upstream = facts.upstream;
    this.ending = facts.ending;
    this.providerError = facts.providerError;
    this.retryAfterMs = facts.retryAfterMs;
    this.withoutToken = facts.withoutToken ?? false;
    this.wasHeldBack = facts.wasHeldBack ?? false;
  }

  /** The same failure of which more is known. */
  with({ message = this.message, ...facts }: FailureFacts & { message?: string }): ProviderFailure {
    const failure = new ProviderFailure(this.kind, message, {
      ...{ ...this, cause: this.cause },
      ...facts,
    });
    if (this.stack !== undefined) failure.stack = this.stack;
    return failure;
  }
}

/** Of the error, or of what it was caused by. */
export function stageFactsOf(thrown: unknown): StageFacts | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (!(thrown instanceof ProviderFailure) || thrown.stage === undefined) {
    return stageFactsOf(thrown.cause);
  }
  const { stage, upstream } = thrown;
  return upstream === undefined ? { stage } : { stage, upstream };
}

/** The error code in the provider's answer, of the error or of what it was caused by. */
export function providerErrorOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const own = thrown instanceof ProviderFailure ? thrown.providerError : undefined;
  return own ?? providerErrorOf(thrown.cause);
}

/** An authorization that ended without credentials; the message may be shown to the end user. */
export function failedAs(ending: FailedEnding, message: string): ProviderFailure {
  return new ProviderFailure("refused", message, { ending });
}
