import {
  type AuthSubject,
  type Credentials,
  getAuthMode,
  type Minted,
  ProviderFailure,
  stageFactsOf,
} from "#auth-modes";
import { AppError, type EnvironmentContext, messageOf } from "#foundation";
import { type Integration, toAuthSubject } from "#integrations";
import { beginOperation, finishOperation } from "#logs";
import type { Connection } from "../connection.ts";
import { newAuthTools } from "../new-auth-tools.ts";
import { openCredentials } from "../sealed-credentials.ts";
import { subjectOf } from "../subject-of.ts";
import { saveConnection } from "./save-connection.ts";

export interface ReportedInstallation {
  readonly integration: Integration;
  readonly connection: Connection;
  /** What the provider's webhook says: an authorization code, an installation. */
  readonly reported: Readonly<Record<string, string>>;
}

/**
 * Makes a pending connection usable with what a webhook of the provider reports;
 * undefined when it no longer is pending, as after a webhook that came twice.
 */
export async function completeConnection(
  ctx: EnvironmentContext,
  { integration, connection, reported }: ReportedInstallation,
): Promise<Connection | undefined> {
  const { pending, ...credentials } = await openCredentials(ctx, connection);
  if (pending !== true) return undefined;
  const operation = beginOperation(ctx, {
    type: "auth",
    action: "create_connection",
    message: `Complete connection ${connection.connectionId}`,
    ...subjectOf(integration, connection),
  });
  try {
    const subject = await toAuthSubject(ctx, integration, connection.connectionConfig);
    const minted = await mint(ctx, subject, { integration, credentials, reported });
    const saved = await saveConnection(
      ctx,
      {
        integration,
        connectionId: connection.connectionId,
        authMode: connection.authMode,
        minted,
        issuedAt: minted.issuedAt,
        fromSession: connection.fromSession,
        operationId: operation.id,
        completes: true,
      },
      {
        async stored(_ctx, { connection: stored }) {
          if (stored.credentialVersion === connection.credentialVersion + 1) return;
          throw new AppError("conflict", "The connection was completed by another webhook.");
        },
      },
    );
    finishOperation(ctx, operation, { state: "success" });
    return saved.connection;
  } catch (error) {
    const isEnding = error instanceof ProviderFailure && error.ending !== undefined;
    const type = error instanceof AppError && !isEnding ? error.code : "invalid_webhook";
    finishOperation(ctx, operation, {
      state: "failed",
      error: { type, message: messageOf(error), ...stageFactsOf(error) },
    });
    throw error;
  }
}

async function mint(
  ctx: EnvironmentContext,
  subject: AuthSubject,
  given: {
    integration: Integration;
    credentials: Credentials;
    reported: ReportedInstallation["reported"];
  },
): Promise<Minted> {
  const { integration, credentials, reported } = given;
  const mode = getAuthMode(subject.provider.auth_mode);
  const tools = newAuthTools(ctx, integration, ctx.signal);
  if (mode.completeInstallation !== undefined) {
    return await mode.completeInstallation(subject, { credentials, reported }, tools);
  }
  if (mode.finishAuthorization === undefined) throw new AppError("invalid_auth_mode");
  const redirectUri = `${ctx.settings.serverUrl}/oauth/callback`;
  const finish = { query: reported, redirectUri, codeVerifier: "" };
  return await mode.finishAuthorization(subject, finish, tools);
}
