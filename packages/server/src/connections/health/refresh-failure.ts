import { isCorrected, type RefreshProblem } from "../connection.ts";
import type { ConnectionHealth } from "./connection-state.ts";
import type { HealthRow } from "./store.ts";

type Failure = NonNullable<ConnectionHealth["failure"]>;

/** What calls get that need a fresh token. */
const codes: Readonly<Record<RefreshProblem["kind"], string>> = {
  revoked: "invalid_credentials",
  misconfigured: "integration_misconfigured",
  unavailable: "connection_refresh_backoff",
  internal: "server_error",
};

/** Codes that name the client; GitHub has one of its own. */
const ofClient: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "incorrect_client_credentials",
]);

/** Why the credentials are not renewed, since when, and what happens next; null when the last refresh succeeded. */
export function presentFailure(
  row: Pick<HealthRow, "failure" | "refusedAt" | "notBefore" | "integrationUpdatedAt">,
): Failure | null {
  const { failure, refusedAt, notBefore, integrationUpdatedAt } = row;
  if (refusedAt !== null) return presentRefusal(failure, refusedAt);
  if (failure === null) return null;
  const isLifted =
    integrationUpdatedAt !== null && isCorrected(failure, { updatedAt: integrationUpdatedAt });
  const isOfOperator = failure.kind === "misconfigured" && !isLifted;
  return {
    ...describe(failure),
    since: failure.since ?? failure.at,
    next: isOfOperator ? "operator" : "retry",
    next_attempt_at: isLifted ? null : (notBefore?.toISOString() ?? null),
  };
}

/** The provider takes these credentials no more: found by a refresh, or by a call. */
function presentRefusal(failure: RefreshProblem | null, refusedAt: Date): Failure {
  const at = refusedAt.toISOString();
  const problem: RefreshProblem =
    failure?.kind === "revoked"
      ? failure
      : { kind: "revoked", message: "The provider has withdrawn the authorization.", fence: 0, at };
  return { ...describe(problem), since: at, next: "end_user", next_attempt_at: null };
}

function describe({ kind, message, at, providerError }: RefreshProblem) {
  return {
    cause: causeOf(kind, providerError),
    code: codes[kind],
    message,
    provider_error: providerError ?? null,
    last_at: at,
  };
}

function causeOf(
  kind: RefreshProblem["kind"],
  providerError: string | undefined,
): Failure["cause"] {
  if (kind === "revoked") return "grant_refused";
  if (kind === "unavailable") return "provider_unavailable";
  if (kind === "internal") return "server_error";
  const isClient = providerError !== undefined && ofClient.has(providerError);
  return isClient ? "client_refused" : "integration_misconfigured";
}
