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
  const offered =
    allowed.length === 0 ? listed : listed.filter(({ unique_key: key }) => allowed.includes(key));
  return { session, integrations: distinguish(offered) };
}

/** Integrations that people cannot tell apart by name have their key as well. */
export function distinguish(integrations: readonly Integration[]): readonly Integration[] {
  const named = Map.groupBy(integrations, ({ display_name: name }) => name.toLocaleLowerCase());
  return integrations.map((integration) => {
    const { display_name: name, unique_key: key } = integration;
    const isAlone = named.get(name.toLocaleLowerCase())?.length === 1;
    return isAlone ? integration : { ...integration, detail: key };
  });
}

export interface HelpPage {
  readonly url: string;
  /** Whether it is about where to find the values, not the documentation as a whole. */
  readonly isGuide: boolean;
}

/** The customer's own page or the provider's that tells how to find the values, else the documentation. */
export function findHelp(
  { session }: PageData,
  integration: Integration,
  { docs_connect: help, docs }: Provider,
): HelpPage | undefined {
  const own = session.overrides?.[integration.unique_key]?.docs_connect;
  // The server names the documentation where an entry has no page about its values.
  const guide = [own, help === docs ? undefined : help].find(isWebPage);
  if (guide !== undefined) return { url: guide, isGuide: true };
  return docs !== undefined && isWebPage(docs) ? { url: docs, isGuide: false } : undefined;
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
