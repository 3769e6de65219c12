import type { AuthModeId } from "@jackfield/catalogue";
import type { ProviderAccount, StageFacts } from "#auth-modes";
import {
  addMs,
  backoffMs,
  type ConnectionUuid,
  type EnvironmentId,
  MINUTE,
  type OperationId,
  SECOND,
} from "#foundation";

/** One end user's credentials for one integration, with what the customer attached to them. */
export interface Connection {
  readonly id: number;
  readonly uuid: ConnectionUuid;
  readonly environmentId: EnvironmentId;
  readonly integrationId: number;
  readonly connectionId: string;
  readonly authMode: AuthModeId;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly connectionConfig: Readonly<Record<string, string>>;
  readonly webhookUrlOverride: string | undefined;
  readonly errors: readonly ActiveError[];
  readonly fromSession: boolean;
  /** Undefined until the provider has said whose it is. */
  readonly account: ProviderAccount | undefined;
  readonly sealedCredentials: Buffer;
  /** What the provider signs webhooks of this connection with. */
  readonly sealedWebhookSecret: Buffer | undefined;
  /** Raised by every write of the credentials. */
  readonly credentialVersion: number;
  /** Undefined for credentials that were not minted for us: how long they live in all is not known. */
  readonly credentialsIssuedAt: Date | undefined;
  readonly credentialsExpireAt: Date | undefined;
  readonly refresh: RefreshState;
  /** Undefined unless a revocation keeps everyone from using the credentials. */
  readonly frozen: Frozen | undefined;
  /** The old platform that refreshes the tokens; undefined where this server does. */
  readonly readThrough: string | undefined;
  readonly lastFetchedAt: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Frozen {
  /** The revocation. */
  readonly by: string;
  readonly at: Date;
}

export interface ActiveError {
  readonly type: "auth" | "sync";
  readonly log_id: OperationId;
  /** The sync that failed: its name, `name::variant` for a variant. */
  readonly sync?: string;
  readonly stage?: StageFacts["stage"];
  readonly upstream?: StageFacts["upstream"];
}

export interface RefreshState {
  /** Number of the last attempt. */
  readonly fence: number;
  readonly failures: number;
  readonly notBefore: Date | undefined;
  /** How the last attempt failed; undefined after a success. */
  readonly failure: RefreshProblem | undefined;
  readonly needsReauthorizationAt: Date | undefined;
}

export interface RefreshProblem {
  readonly kind: "revoked" | "misconfigured" | "unavailable" | "internal";
  readonly message: string;
  /** The attempt that failed. */
  readonly fence: number;
  /** When it failed (ISO). */
  readonly at: string;
  /** When the first of those in a row failed that had the same kind (ISO); a release before did not write it. */
  readonly since?: string;
  /** Error code of the provider's answer. */
  readonly providerError?: string;
  /** Answers in a row that were a success without a token. */
  readonly answersWithoutToken?: number;
  readonly stage?: StageFacts["stage"];
  readonly upstream?: StageFacts["upstream"];
}

type Expiry = Pick<Connection, "credentialsIssuedAt" | "credentialsExpireAt">;

const CLOCK_SKEW_MS = 30 * SECOND;

/** Whether the credentials can still be used; those without a known end always can. */
export function isUsable(expiry: Expiry, now: Date): boolean {
  const { credentialsIssuedAt: issuedAt, credentialsExpireAt: expiresAt } = expiry;
  if (expiresAt === undefined) return true;
  // The provider's clock may be ahead, so the stated lifetime is cut; a short one hardly at all.
  const lifeMs = issuedAt === undefined ? 0 : expiresAt.getTime() - issuedAt.getTime();
  return expiresAt.getTime() - Math.min(CLOCK_SKEW_MS, lifeMs / 10) > now.getTime();
}

const SHORTEST_USE_MS = 30 * SECOND;

/**
 * So long before the end. Tokens that a refresh brought are used for half of their life before the next one, 30 s at
 * least, so that those of a short life are not renewed at every call.
 */
export function isRefreshDue(
  expiry: Expiry & Pick<Connection, "credentialVersion">,
  now: Date,
  marginMs: number,
): boolean {
  const { credentialsIssuedAt: issuedAt, credentialsExpireAt: expiresAt } = expiry;
  if (expiresAt === undefined || now.getTime() < expiresAt.getTime() - marginMs) return false;
  if (expiry.credentialVersion === 1 || issuedAt === undefined) return true;
  const lifeMs = expiresAt.getTime() - issuedAt.getTime();
  const isUsed = now.getTime() - issuedAt.getTime() >= Math.max(lifeMs / 2, SHORTEST_USE_MS);
  return isUsed || !isUsable(expiry, now);
}

/** The failure that forbids another attempt for now; an integration changed since lifts its own. */
export function standingProblem(
  { refresh }: Pick<Connection, "refresh">,
  integration: { readonly updatedAt: Date },
  now: Date,
): RefreshProblem | undefined {
  const { failure, notBefore, needsReauthorizationAt, fence } = refresh;
  if (needsReauthorizationAt !== undefined) {
    if (failure?.kind === "revoked") return failure;
    const message = "the provider has withdrawn the authorization";
    return { kind: "revoked", message, fence, at: needsReauthorizationAt.toISOString() };
  }
  if (notBefore === undefined || notBefore <= now) return undefined;
  return isCorrected(failure, integration) ? undefined : failure;
}

/** Whether the integration was changed after it was found to be the fault. */
export function isCorrected(
  failure: RefreshProblem | undefined,
  integration: { readonly updatedAt: Date },
): boolean {
  return failure?.kind === "misconfigured" && integration.updatedAt > new Date(failure.at);
}

/** Whether these credentials are renewed by a token that ages, so that it must not lie unused. */
export function hasRefreshToken(credentials: Readonly<Record<string, unknown>>): boolean {
  const token = credentials["refresh_token"];
  return typeof token === "string" && token !== "";
}

const BACKOFF = { firstMs: 30 * SECOND, longestMs: 10 * MINUTE };
const LONGEST_RETRY_AFTER_MS = 60 * MINUTE;

/** When the next attempt may start: 30 s, doubling to 10 min, or what the provider asks for. */
export function nextAttemptAt(
  now: Date,
  { failures, retryAfterMs = 0 }: { failures: number; retryAfterMs: number | undefined },
): Date {
  const waitMs = backoffMs(BACKOFF, failures + 1);
  return addMs(now, Math.max(waitMs, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)));
}
