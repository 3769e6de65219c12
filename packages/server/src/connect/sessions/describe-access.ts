import { getAuthMode } from "#auth-modes";
import { AppError, type EnvironmentContext } from "#foundation";
import { getIntegration, providerOf, toAuthSubject } from "#integrations";
import { SCOPES_OVERRIDE } from "../attempts/begin/wishes.ts";
import { markStep } from "../funnel/mark-step.ts";
import { allowsIntegration } from "../session.ts";
import { openDefaults } from "../session-defaults.ts";
import { getOwnSession } from "./get-own-session.ts";

/** Scopes that a connection made in this session asks for; throws integration_not_allowed and not found. */
export async function describeAccess(ctx: EnvironmentContext, key: string) {
  const session = await getOwnSession(ctx);
  if (!allowsIntegration(session, key)) {
    throw new AppError("integration_not_allowed", `The session does not allow ${key}.`);
  }
  const integration = await getIntegration(ctx, key);
  await markStep(ctx, session, { step: "chosen", integrationId: integration.id });
  const provider = providerOf(integration);
  if (getAuthMode(provider.auth_mode).startAuthorization === undefined) return { scopes: [] };
  const { integrationCredentials } = await toAuthSubject(ctx, integration, {});
  const fixed = (await openDefaults(ctx, session))[key];
  const asked = [
    fixed?.connection_config?.[SCOPES_OVERRIDE] || integrationCredentials?.scopes,
    fixed?.user_scopes,
  ].flatMap((scopes) => (scopes ?? "").split(",").map((scope) => scope.trim()));
  const required = "required_scopes" in provider ? provider.required_scopes : [];
  return { scopes: [...new Set([...asked, ...required])].filter((scope) => scope !== "") };
}
