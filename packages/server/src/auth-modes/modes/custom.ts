import { renderTemplate } from "@jackfield/catalogue";
import { addMs, HOUR } from "#foundation";
import { callAsConnection } from "../apply/call-as-connection.ts";
import { toTemplateValues } from "../apply/template-values.ts";
import type { AuthMode, AuthTools, Credentials, Minted, SubjectOf } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { readFlatInstallation } from "../flat-import.ts";
import { failedAs, ProviderFailure } from "../observe/provider-failure.ts";
import { buildUrl, toAuthorizationUrl } from "../obtain/authorization-url.ts";
import { finishCodeFlow, refreshCodeFlow, toFailedAuthorization } from "../obtain/code-flow.ts";
import { mintInstallationToken, requireAppId } from "../obtain/installation-token.ts";
import { requireClient } from "../obtain/oauth-client.ts";
import { pushAuthorization } from "../obtain/push-authorization.ts";
import { declaresRevocation, revokeToken } from "../obtain/revoke-token.ts";
import { parseTokenAnswer, readCaptured, readPath } from "../obtain/token-answer.ts";
import { findText, readExpiresAt, requireText, requireType } from "../read-credentials.ts";

/**
 * An app's installation together with the end user's own authorization. Until the installation is known the
 * connection is pending, with the user's tokens; then it has the app's, and the user's under `user`.
 */
export const custom: AuthMode = defineAuthMode("CUSTOM", {
  fields: { app_id: { title: "App ID" }, installation_id: { title: "Installation ID" } },
  clientFields: {
    client_id: { title: "Client ID" },
    client_secret: { title: "Client secret", secret: true },
    app_id: { title: "App ID" },
    app_link: { title: "Public link of the app" },
    private_key: { title: "Private key", secret: true },
  },
  secrets: ["access_token", "refresh_token", "token", "jwtToken"],

  fromFlat: readFlatInstallation,

  async accept(subject, given, tools) {
    requireType(given, "CUSTOM");
    const installation = {
      appId: requireText(given, "app_id"),
      installationId: requireText(given, "installation_id"),
    };
    return await mintInstallationToken(subject, subject.provider, installation, tools);
  },

  async startAuthorization(subject, start, tools) {
    const flow = subject.provider;
    const client = requireClient(subject);
    const location = await toAuthorizationUrl(subject, flow, client, start);
    return {
      location: await pushAuthorization(subject, flow, client, location, tools),
      remember: {},
    };
  },

  async finishAuthorization(subject, finish, tools) {
    const use = { client: requireClient(subject) };
    const user = await finishCodeFlow(subject, subject.provider, use, finish, tools);
    const installationId =
      finish.query["installation_id"] || subject.connectionConfig["installation_id"];
    if (!installationId) return { ...user, isPending: true };
    await requireOwnInstallation(subject, user.credentials, installationId, tools);
    return await install(subject, user.credentials, installationId, tools).catch(
      (error: unknown) => {
        throw toFailedAuthorization(subject, error);
      },
    );
  },

  async completeInstallation(subject, { credentials, reported }, tools) {
    const { installation_id: installationId } = reported;
    if (installationId) return await install(subject, credentials, installationId, tools);
    const message = "The provider's message names no installation.";
    throw failedAs("invalid_callback", message);
  },

  async refresh(subject, credentials, tools) {
    const { installation_id: installationId } = subject.connectionConfig;
    if (!installationId) return { credentials, expiresAt: undefined, capturedConfig: {} };
    const user = await renewUser(subject, credentials, tools);
    return await install(subject, user, installationId, tools);
  },

  canRevoke: declaresRevocation,

  /** The user's own tokens; those of the installation run out within the hour. */
  async revoke(subject, credentials, tools) {
    const user = credentials.type === "OAUTH2" ? credentials : readUser(credentials);
    if (user === undefined) return;
    const token = findText(user, "refresh_token") ?? findText(user, "access_token");
    const client = requireClient(subject);
    await revokeToken(subject, subject.provider, client, { credentials: user, token }, tools);
  },

  apply(_subject, credentials, request) {
    request.headers.set("authorization", `Bearer ${findText(credentials, "access_token") ?? ""}`);
  },
});

/** A browser can name any installation of the app: it has to be one that its user may see. */
async function requireOwnInstallation(
  subject: SubjectOf<"CUSTOM">,
  user: Credentials,
  installationId: string,
  tools: AuthTools,
): Promise<void> {
  const rules = subject.provider.user_installations;
  if (rules === undefined) return;
  const url = buildUrl(() => renderTemplate(rules.url, toTemplateValues(subject)));
  const call = { method: "GET", url, headers: {}, json: undefined };
  const { body } = await callAsConnection(custom, subject, user, call, tools);
  const list = readPath(parseTokenAnswer(body), rules.list);
  const isOwn =
    Array.isArray(list) &&
    list.some((item: unknown) => readCaptured(item, rules.id) === installationId);
  if (isOwn) return;
  throw failedAs(
    "invalid_callback",
    `The installation that ${subject.provider.display_name} named is not one of the user's.`,
  );
}

async function install(
  subject: SubjectOf<"CUSTOM">,
  user: Credentials | undefined,
  installationId: string,
  tools: AuthTools,
): Promise<Minted> {
  const installation = { appId: requireAppId(subject), installationId };
  const minted = await mintInstallationToken(subject, subject.provider, installation, tools);
  if (user === undefined) return minted;
  return { ...minted, credentials: { ...minted.credentials, user } };
}

// Longer than until the installation's token is renewed again.
const USER_MARGIN_MS = 2 * HOUR;

/** The user's tokens, renewed where they end soon; those that cannot be are kept, the app works without them. */
async function renewUser(
  subject: SubjectOf<"CUSTOM">,
  credentials: Credentials,
  tools: AuthTools,
): Promise<Credentials | undefined> {
  const user = readUser(credentials);
  if (user === undefined || findText(user, "refresh_token") === undefined) return user;
  const expiresAt = readExpiresAt(user);
  if (expiresAt === undefined || expiresAt > addMs(tools.now, USER_MARGIN_MS)) return user;
  const keep = async (renewed: Credentials): Promise<void> =>
    await tools.keepProgress?.({
      credentials: { ...credentials, user: renewed },
      expiresAt: readExpiresAt(credentials),
      capturedConfig: {},
    });
  try {
    const use = { client: requireClient(subject) };
    const own = {
      ...tools,
      keepProgress: async (minted: Minted) => await keep(minted.credentials),
    };
    const renewed = await refreshCodeFlow(subject, subject.provider, use, user, own);
    await keep(renewed.credentials);
    return renewed.credentials;
  } catch (error) {
    if (error instanceof ProviderFailure) return user;
    throw error;
  }
}

function readUser(credentials: Credentials): Credentials | undefined {
  const user = credentials["user"];
  return typeof user === "object" && user !== null ? asCredentials(user) : undefined;
}

// Written by `install` alone.
function asCredentials(user: object): Credentials {
  return user as Credentials;
}
