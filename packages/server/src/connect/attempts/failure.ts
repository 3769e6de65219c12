import { type FailureKind, ProviderFailure, type StageFacts, stageFactsOf } from "#auth-modes";
import { type Connection, findConnectionByUuid, sendAuthWebhook } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { type Integration, providerOf } from "#integrations";
import { type BegunOperation, finishOperation } from "#logs";
import { markFailed } from "../funnel/mark-step.ts";
import { notifySession } from "../notify-session.ts";
import { notifyPopup } from "../popup-sockets/notify-popup.ts";
import type { AttemptName, ConnectSession, SessionError } from "../session.ts";
import { setAttempt } from "../store.ts";

export interface FailedAttempt extends AttemptName {
  readonly session: ConnectSession;
  readonly integration: Integration;
  readonly connectionId: string;
  readonly operation: BegunOperation;
}

/**
 * What the end user may know of a failure; what was not foreseen is logged. How the integration is configured is
 * nothing to the end user: `toReportedError` has it for the customer.
 */
export function toSessionError(
  ctx: EnvironmentContext,
  thrown: unknown,
  { isTyped = false }: { readonly isTyped?: boolean } = {},
): SessionError {
  const refused = findRefusal(thrown);
  if (refused !== undefined) {
    const { type, kind } = refused;
    const isMistyped = isTyped && kind === "misconfigured" && refusesWhoAsks(thrown);
    return { type, message: isMistyped ? MISTYPED : endUserTexts[kind] };
  }
  if (thrown instanceof AppError && thrown.code !== "server_error") {
    return { type: typeOf(thrown), message: thrown.message };
  }
  ctx.log.error("connect.attempt_failed", { error: thrown });
  return { type: "unknown_err", message: "Something failed on our side. Begin again." };
}

/** The failure as the customer sees it, in webhooks and logs: with what has to be corrected. */
export function toReportedError(shown: SessionError, thrown: unknown): ReportedError {
  const reported = findRefusal(thrown) ?? shown;
  return { type: shown.type, message: reported.message, ...stageFactsOf(thrown) };
}

export type ReportedError = SessionError & Partial<StageFacts>;

/** A request that the provider refused or did not answer, behind the failure that it led to. */
function findRefusal(thrown: unknown) {
  if (!(thrown instanceof ProviderFailure)) return undefined;
  const kind = kindOf(thrown);
  const type = thrown.ending ?? findOutage(thrown);
  return kind === undefined ? undefined : { type, kind, message: thrown.message };
}

function typeOf(thrown: AppError): string {
  return thrown instanceof ProviderFailure && thrown.ending !== undefined
    ? thrown.ending
    : thrown.code;
}

/** The error's own code, or where nobody has looked at the credentials, one that says so. */
export function findOutage(thrown: ProviderFailure): AppError["code"] {
  if (kindOf(thrown) !== "unavailable") return thrown.code;
  return findUpstreamCode(thrown.cause) ?? "upstream_unavailable";
}

/** Why no answer came; undefined where one did. */
function findUpstreamCode(cause: unknown): AppError["code"] | undefined {
  if (!(cause instanceof Error)) return undefined;
  const isOfEgress = cause instanceof AppError && cause.code.startsWith("upstream_");
  return isOfEgress ? cause.code : findUpstreamCode(cause.cause);
}

const passing: ReadonlySet<number> = new Set([408, 425, 429]);

type KnownKind = Exclude<FailureKind, "refused">;

function kindOf({ kind, code, stage, upstream }: ProviderFailure): KnownKind | undefined {
  if (code !== "connection_test_failed") return undefined;
  const status = upstream?.status;
  if (status !== undefined && (status >= 500 || passing.has(status))) return "unavailable";
  // A refusal in words of its own is asked about again later; a person who typed something can look at it now.
  if (kind !== "refused") return kind === "unavailable" && status !== undefined ? "revoked" : kind;
  // These two word their other answers for the end user.
  if (stage === "verification" || stage === "after_connect") return undefined;
  return status !== undefined && status >= 300 ? "misconfigured" : undefined;
}

/** A refusal by the provider, and not an answer of an address that is not the provider's. */
function refusesWhoAsks(thrown: unknown): boolean {
  return [200, 400, 401, 403, 422].includes(stageFactsOf(thrown)?.upstream?.status ?? 0);
}

/** Where the end user typed what a login then refused, the integration is hardly at fault. */
const MISTYPED = "The service did not accept what you entered. Check it and try again.";

const endUserTexts: Readonly<Record<KnownKind, string>> = {
  revoked: "The service did not accept this. Check what you entered, or begin again.",
  misconfigured:
    "The service did not accept this app. Check what you entered, if anything; otherwise tell the people who sent you here.",
  unavailable: "The service cannot be asked at the moment. Try again in a few minutes.",
};

/** Ends the attempt in the session and in the logs, and tells the customer. */
export async function settleFailure(
  ctx: EnvironmentContext,
  attempt: FailedAttempt,
  error: SessionError,
  thrown?: unknown,
): Promise<void> {
  const reported =
    thrown === undefined ? { ...error, stage: "callback" } : toReportedError(error, thrown);
  await withTransaction(ctx, async (ctx) => {
    await reportToSession(ctx, attempt, error);
    await notifyPopup(ctx, attempt.clientId, {
      error,
      providerConfigKey: attempt.integration.uniqueKey,
      connectionId: attempt.connectionId,
    });
    await notifyCustomer(ctx, attempt, reported);
  }).finally(() => {
    finishOperation(ctx, attempt.operation, { state: "failed", error: reported });
  });
  const { session, integration } = attempt;
  await markFailed(ctx, { session, integrationId: integration.id, type: error.type });
}

/** Lets those who wait for the attempt know; its own success stays. */
export async function reportToSession(
  ctx: EnvironmentContext,
  { session, id, attemptId }: Pick<FailedAttempt, "session" | "id" | "attemptId">,
  error: SessionError | undefined,
): Promise<void> {
  const progress = { id, sessionId: session.id, attemptId, error, now: ctx.clock.now() };
  await setAttempt(ctx.db, ctx.environment.id, progress);
  await notifySession(ctx, session.id);
}

/** Sends the failure webhook of the attempt, with the tags that its connection would have. */
export async function notifyCustomer(
  ctx: EnvironmentContext,
  { session, integration, connectionId, operation: { id: operationId } }: FailedAttempt,
  error: SessionError,
): Promise<void> {
  const operation = session.reconnects === undefined ? "creation" : "override";
  // The check that refused an override has reported it.
  if (operation === "override" && error.type === "connection_validation_failed") return;
  const { webhookUrlOverride } = session.settings;
  const tags = session.settings.tags ?? (await findTags(ctx, session));
  await sendAuthWebhook(ctx, {
    operation,
    integration,
    connection: {
      connectionId,
      authMode: providerOf(integration).auth_mode,
      ...(tags !== undefined && { tags }),
      fromSession: true,
      webhookUrlOverride,
    },
    error: { type: error.type, description: error.message },
    operationId,
  });
}

/** Tags that a reconnect session leaves as they are. */
async function findTags(
  ctx: EnvironmentContext,
  { reconnects }: ConnectSession,
): Promise<Connection["tags"] | undefined> {
  if (reconnects === undefined) return undefined;
  return (await findConnectionByUuid(ctx, reconnects))?.tags;
}
