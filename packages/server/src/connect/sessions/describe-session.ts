import type { Provider } from "@jackfield/catalogue";
import { isSecretConfig } from "#auth-modes";
import { presentEndUser } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { findIntegration, providerOf, takeAliases } from "#integrations";
import { markStep } from "../funnel/mark-step.ts";
import type { ConnectSession, EndUser, IntegrationDefaults } from "../session.ts";
import { openDefaults } from "../session-defaults.ts";
import { getOwnSession } from "./get-own-session.ts";
import { listResults } from "./get-session-result.ts";
import { presentPageSettings } from "./present-page-settings.ts";

/** What the hosted page needs of its session; secrets that the customer fixed are only hinted at. */
export async function describeSession(ctx: EnvironmentContext) {
  const session = await getOwnSession(ctx);
  await markStep(ctx, session, { step: "opened" });
  const { settings, reconnects, expiresAt } = session;
  const defaults = await presentDefaults(ctx, session);
  const { allowedIntegrations = [], allowedOrigins = [], overrides, returnUrl } = settings;
  const { language, purpose } = settings;
  return {
    endUser: settings.endUser
      ? presentGiven(settings.endUser)
      : presentEndUser(settings.tags ?? {}),
    connectUISettings: await presentPageSettings(ctx),
    expires_at: expiresAt.toISOString(),
    ...(allowedIntegrations.length === 0 ? {} : { allowed_integrations: [...allowedIntegrations] }),
    ...(defaults === undefined ? {} : { integrations_config_defaults: defaults }),
    ...(overrides === undefined ? {} : { overrides: { ...overrides } }),
    ...(language === undefined ? {} : { language }),
    ...(purpose === "manage" ? { purpose } : {}),
    ...(reconnects === undefined ? {} : { isReconnecting: true as const }),
    ...(returnUrl === undefined ? {} : { return_url: returnUrl }),
    ...(allowedOrigins.length === 0 ? {} : { allowed_origins: [...allowedOrigins] }),
    ...presentSockets(ctx),
    attempts: await listResults(ctx, session),
  };
}

/** Only clients written for the compatible platform open sockets. */
function presentSockets({ settings: { compatPrefix, serverUrl } }: EnvironmentContext) {
  if (compatPrefix === undefined) return {};
  return { websocketsPath: new URL(`${serverUrl}/`).pathname };
}

/** As the customer wrote it, which has more than its tags. */
function presentGiven(endUser: EndUser) {
  const { id, display_name, email, tags, organization } = endUser;
  return {
    id,
    display_name: display_name ?? null,
    email: email ?? null,
    tags: tags === undefined ? null : { ...tags },
    organization:
      organization === undefined
        ? null
        : { id: organization.id, display_name: organization.display_name ?? null },
  };
}

async function presentDefaults(ctx: EnvironmentContext, session: ConnectSession) {
  const defaults = Object.entries(await openDefaults(ctx, session));
  if (defaults.length === 0) return undefined;
  const shown = defaults.map(async ([key, values]) => {
    const provider = await findOfferedProvider(ctx, key);
    return provider === undefined ? [] : [[key, withoutSecrets(values, provider)] as const];
  });
  return Object.fromEntries((await Promise.all(shown)).flat());
}

/** Undefined for an integration that was deleted or renamed meanwhile. */
async function findOfferedProvider(
  ctx: EnvironmentContext,
  key: string,
): Promise<Provider | undefined> {
  const integration = await findIntegration(ctx, key);
  return integration && providerOf(integration);
}

const HIDDEN = "********";

/**
 * A client that the customer has set is not the end user's business, so its fields are left out; two
 * empty ones ask the page to show them. Other secrets are shown as set, without their values.
 */
function withoutSecrets(
  { user_scopes, authorization_params, connection_config = {} }: IntegrationDefaults,
  provider: Provider,
) {
  const { config } = takeAliases(provider, connection_config);
  const shown = Object.entries(config).flatMap(([name, value]) => {
    if (/^oauth_client_(id|secret)_override$/.test(name)) return value === "" ? [[name, ""]] : [];
    const isHidden = value !== "" && isSecretConfig(provider, [name, value]);
    return [[name, isHidden ? HIDDEN : value]];
  });
  return {
    connection_config: Object.fromEntries(shown),
    ...(authorization_params === undefined
      ? {}
      : { authorization_params: { ...authorization_params } }),
    ...(user_scopes === undefined ? {} : { user_scopes }),
  };
}
