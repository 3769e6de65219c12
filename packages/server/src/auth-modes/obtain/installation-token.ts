import { type InstallationRules, renderTemplate } from "@jackfield/catalogue";
import { AppError, SECOND } from "#foundation";
import { toTemplateValues } from "../apply/template-values.ts";
import { renderHeaders, writeCall } from "../apply/write-call.ts";
import type { AuthSubject, AuthTools, Credentials, Minted } from "../auth-mode.ts";
import { ProviderFailure } from "../observe/provider-failure.ts";
import { signJwt } from "../proof/sign-jwt.ts";
import type { SigningFacts } from "../proof/signing-facts.ts";
import { build, sendProven } from "./request-token.ts";
import { parseTokenAnswer, readGrant } from "./token-answer.ts";
import { toRefreshFailure } from "./token-failure.ts";

// Servers whose clock is behind refuse a token of the future.
const BACKDATE_S = 60;

export interface Installation {
  readonly appId: string;
  readonly installationId: string;
}

/** A token of an app's installation, minted with a JWT that the app's key signs; throws ProviderFailure. */
export async function mintInstallationToken(
  subject: AuthSubject,
  provider: InstallationRules,
  { appId, installationId }: Installation,
  tools: AuthTools,
): Promise<Minted> {
  const connectionConfig = { ...subject.connectionConfig, installation_id: installationId };
  const values = { ...toTemplateValues({ ...subject, connectionConfig }), now: tools.now };
  const url = build(() => renderTemplate(provider.installation_token_url, values));
  const write = async ({ now }: SigningFacts) => {
    const app = await signAppJwt(subject, provider, appId, now);
    const own = build(() => renderHeaders(provider.installation_token_headers, values));
    const headers = { authorization: `Bearer ${app}`, ...own };
    return writeCall({ method: "POST", url, format: "none", headers, fields: {} });
  };
  const response = await sendProven(url, write, tools);
  const answer = parseTokenAnswer(response.body);
  const granted = readGrant(response, answer, shape, tools.now);
  if (granted === undefined || response.status >= 300) {
    if (response.status === 404) {
      throw new ProviderFailure(
        "revoked",
        "The app is no longer installed there; install it again.",
      );
    }
    if (response.status === 401) {
      const message = "The provider refuses the app's signature; check app_id and private_key.";
      throw new ProviderFailure("misconfigured", message);
    }
    const hints = { shape, errors: provider.token_errors };
    throw toRefreshFailure(response, answer, tools.now, hints);
  }
  const { accessToken, expiresAt, raw } = granted;
  const credentials: Credentials = {
    type: "APP",
    access_token: accessToken,
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
    raw,
  };
  const capturedConfig = { installation_id: installationId, app_id: appId };
  return { credentials, expiresAt, issuedAt: tools.now, capturedConfig };
}

const shape = {
  access_token: ["token", "access_token"],
  refresh_token: [],
  expires: ["expires_at", "expires_in"],
  expiry_unit: "auto",
  error: ["error", "code"],
} satisfies Parameters<typeof readGrant>[2];

async function signAppJwt(
  { integrationCredentials, provider: { display_name: name } }: AuthSubject,
  { app_jwt_lifetime_s: lifeSeconds }: InstallationRules,
  appId: string,
  now: Date,
): Promise<string> {
  const key = integrationCredentials?.private_key;
  if (!key) {
    throw new AppError(
      "integration_misconfigured",
      `The integration has no app key: set app_id, app_link and private_key of ${name}.`,
    );
  }
  const iat = Math.floor(now.getTime() / SECOND) - BACKDATE_S;
  return await signJwt({ alg: "RS256", key, claims: { iat, exp: iat + lifeSeconds, iss: appId } });
}

/** The app of an installation: the one given, or the integration's. */
export function requireAppId(subject: AuthSubject, given?: string): string {
  const appId =
    given ?? subject.integrationCredentials?.app_id ?? subject.connectionConfig["app_id"];
  if (appId) return appId;
  throw new AppError("integration_misconfigured", "The integration has no app_id.");
}
