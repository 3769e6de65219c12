import type { AuthResult } from "@jackfield/frontend";
import type { Api } from "@jackfield/frontend/api";
import {
  fetchIntegrations,
  fetchSession,
  type Integration,
  type Provider,
  type Session,
} from "./platform.ts";

/** What the page shows: the session and the integrations that it allows. */
export interface PageData {
  readonly session: Session;
  readonly integrations: readonly Integration[];
}

export async function loadPage(api: Api): Promise<PageData> {
  const [session, listed] = await Promise.all([fetchSession(api), fetchIntegrations(api)]);
  const allowed = session.allowed_integrations ?? [];
  return {
    session,
    integrations:
      allowed.length === 0 ? listed : listed.filter(({ unique_key: key }) => allowed.includes(key)),
  };
}

/** Where the provider's documentation or the customer's own page tells how to find the values. */
export function findHelpUrl(
  { session }: PageData,
  integration: Integration,
  { docs_connect: help, docs }: Provider,
): string | undefined {
  const own = session.overrides?.[integration.unique_key]?.docs_connect;
  return [own, help, docs].find(isWebPage);
}

/** The customer's page to go back to, with the result as redirect mode brings it. */
export function toReturnAddress(
  { session }: PageData,
  { connectionId, providerConfigKey, isPending }: AuthResult,
): string | undefined {
  const { return_url: address } = session;
  if (address === undefined || !isWebPage(address)) return undefined;
  const url = new URL(address);
  url.searchParams.set("state", "success");
  url.searchParams.set("connection_id", connectionId);
  url.searchParams.set("provider_config_key", providerConfigKey);
  if (isPending === true) url.searchParams.set("is_pending", "true");
  return url.href;
}

/** Only web pages: an address of another scheme could run as a script. */
export function isWebPage(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  return /^https?:$/.test(new URL(address).protocol);
}
