import { type Credentials, getAuthMode, type Minted, ProviderFailure } from "#auth-modes";
import { subjectOf } from "#connections";
import { AppError, type FieldFault, invalidFields, type SystemContext } from "#foundation";
import { liftCredentials, providerOf, toAuthSubject } from "#integrations";
import { beginOperation, finishOperation } from "#logs";
import { markFailed } from "../../funnel/mark-step.ts";
import type { SessionError } from "../../session.ts";
import {
  type FailedAttempt,
  findOutage,
  notifyCustomer,
  toReportedError,
  toSessionError,
} from "../failure.ts";
import { saveForSession, toolsOf } from "../finish/save-for-session.ts";
import { type Attempt, findKeptConfig, openAttempt, openSession } from "./open-attempt.ts";
import type { ConnectQuery } from "./parse-connect-query.ts";

export interface TypedCredentials {
  readonly integrationKey: string;
  readonly query: ConnectQuery;
  /** Of the type that the route is for. */
  readonly given: Credentials;
}

export interface MadeConnection {
  readonly connectionId: string;
  readonly providerConfigKey: string;
  readonly isPending?: true;
}

/** Makes the session's connection from what the end user typed; throws the codes that its route lists. */
export async function connectWithCredentials(
  ctx: SystemContext,
  { integrationKey, query, given }: TypedCredentials,
): Promise<MadeConnection> {
  const open = await openSession(ctx, query);
  const attempt = await openAttempt(open, { integrationKey, query });
  const provider = providerOf(attempt.integration);
  const mode = getAuthMode(provider.auth_mode);
  if (given.type !== mode.id) {
    throw new AppError(
      "invalid_auth_mode",
      `${integrationKey} takes credentials of type ${mode.id}, not ${given.type}.`,
    );
  }
  const { wishes } = attempt;
  const { credentials, config, faults } = liftCredentials(provider, {
    credentials: toCredentials(given),
    config: wishes.connectionConfig,
  });
  if (faults.length > 0) throw invalidFields("invalid_query_params", toParams(faults));
  return await makeConnection(
    { ...attempt, wishes: { ...wishes, connectionConfig: config } },
    async (subject, tools) => await mode.accept(subject, credentials, tools),
    { isTyped: Object.keys(given).some((name) => name !== "type") },
  );
}

function toParams(faults: readonly FieldFault[]): FieldFault[] {
  return faults.map(({ path, message }) => ({ path: ["params", ...path], message }));
}

type Subject = Awaited<ReturnType<typeof toAuthSubject>>;

/** What was typed in did not do, wherever that showed. */
const REFUSED = "connection_test_failed";

/** Mints with `mint` and stores the session's connection. */
export async function makeConnection(
  attempt: Attempt,
  mint: (subject: Subject, tools: ReturnType<typeof toolsOf>) => Promise<Minted>,
  typing: { readonly isTyped?: boolean } = {},
): Promise<MadeConnection> {
  const { ctx, session, integration, connectionId, wishes } = attempt;
  const operation = beginOperation(ctx, {
    type: "auth",
    action: "create_connection",
    message: `Make connection ${connectionId}`,
    ...subjectOf(integration),
  });
  try {
    const subject = {
      ...(await toAuthSubject(ctx, integration, wishes.connectionConfig)),
      keptConfig: await findKeptConfig(ctx, session),
    };
    const issuedAt = ctx.clock.now();
    const minted = await mint(subject, toolsOf(ctx, integration, issuedAt));
    await saveForSession(ctx, {
      session,
      attempt,
      input: {
        integration,
        connectionId,
        authMode: subject.provider.auth_mode,
        minted,
        issuedAt: minted.issuedAt,
        connectionConfig: wishes.connectionConfig,
        operationId: operation.id,
      },
    });
    const meta = { connection_id: connectionId };
    finishOperation(ctx, operation, { state: "success", meta });
    const made = { connectionId, providerConfigKey: integration.uniqueKey };
    return minted.isPending === true ? { ...made, isPending: true } : made;
  } catch (error) {
    const shown = await settle(attempt, { operation, ...typing }, error);
    if (!(error instanceof ProviderFailure) || error.code !== REFUSED) throw error;
    throw new AppError(findOutage(error), shown.message, { cause: error });
  }
}

/** The end user sees what is wrong and tries again, so the session stays open; the customer learns of each attempt. */
async function settle(
  { ctx, ...attempt }: Attempt,
  { operation, isTyped = false }: Pick<FailedAttempt, "operation"> & { isTyped?: boolean },
  thrown: unknown,
): Promise<SessionError> {
  const shown = toSessionError(ctx, thrown, { isTyped });
  const isEnding = thrown instanceof ProviderFailure && thrown.ending !== undefined;
  const error = isEnding ? { ...shown, type: REFUSED } : shown;
  const reported = toReportedError(error, thrown);
  finishOperation(ctx, operation, { state: "failed", error: reported });
  const { session, integration } = attempt;
  await markFailed(ctx, { session, integrationId: integration.id, type: error.type });
  await notifyCustomer(ctx, { ...attempt, operation }, reported);
  return error;
}

/** An end user's own OAuth client is kept in the form in which imports bring it. */
function toCredentials(given: Credentials): Credentials {
  const {
    oauth_client_id_override: clientId,
    oauth_client_secret_override: clientSecret,
    ...own
  } = given;
  if (!clientId && !clientSecret) return own;
  return { ...own, config_override: { client_id: clientId, client_secret: clientSecret } };
}
