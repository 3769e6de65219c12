import { type Api, callApi } from "@jackfield/frontend/api";
import type { ProviderField } from "@jackfield/ui/form-fields.ts";

/** What the server says of the session, in the words of its API. */
export interface Session {
  readonly connectUISettings?: {
    readonly theme?: {
      readonly light?: { primary?: string };
      readonly dark?: { primary?: string };
    };
    readonly defaultTheme?: "light" | "dark" | "system";
    readonly showWatermark?: boolean;
    readonly app?: App;
  };
  readonly allowed_integrations?: readonly string[];
  readonly integrations_config_defaults?: Readonly<
    Record<string, { readonly connection_config?: Readonly<Record<string, string>> }>
  >;
  readonly overrides?: Readonly<Record<string, { readonly docs_connect?: string }>>;
  readonly isReconnecting?: boolean;
  readonly language?: string;
  readonly purpose?: "manage";
  readonly return_url?: string;
  /** Origins of pages that may show this one in a frame. */
  readonly allowed_origins?: readonly string[];
}

/** The app that asks for access, as far as its makers have named it. */
export interface App {
  readonly name: string | null;
  /** A `data:` URL. */
  readonly logo: string | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
}

export interface Integration {
  readonly unique_key: string;
  readonly provider: string;
  readonly display_name: string;
  readonly logo?: string;
  /** Tells it from another of the same name; set by `loadPage`. */
  readonly detail?: string;
  readonly credentials_label?: Readonly<Record<string, string>>;
  readonly preconfigured_credentials?: readonly string[];
}

export interface Provider {
  readonly name: string;
  readonly auth_mode: string;
  /** `form`: with the fields of `credentials`. */
  readonly connect_method: "browser" | "form";
  readonly docs?: string;
  /** How to get the credentials. */
  readonly docs_connect?: string;
  readonly installation?: string;
  readonly connection_config?: Readonly<Record<string, ProviderField>>;
  readonly credentials?: Readonly<Record<string, ProviderField>>;
}

/** The API's address: what the server wrote into the page, else the folder above it. */
export function findHost(): string {
  const meta = document.querySelector('meta[name="jackfield-api"]');
  const address = meta?.getAttribute("content") ?? "../";
  return new URL(address, window.location.href).href.replace(/(?<!\/)\/+$/, "");
}

export async function fetchSession(api: Api): Promise<Session> {
  return dataOf<Session>(await callApi(api, { path: "/connect/session" }));
}

/**
 * The server names logos by its own address. The page may have been reached by another one of it, such as localhost in
 * place of 127.0.0.1, and shows images of where it calls the API alone.
 */
function logoOf({ host }: Api, { logo }: Integration): { logo?: string } {
  const [, file] = (logo ?? "").split("/images/template-logos/");
  return file === undefined ? {} : { logo: `${host}/images/template-logos/${file}` };
}

/** A connection of the end user's, as the page of one's connections shows it. */
export interface OwnConnection {
  readonly id: string;
  readonly display_name: string;
  readonly provider: string;
  readonly state: "ok" | "refreshing" | "backoff" | "needs_reauthorization" | "pending";
  readonly account: string | null;
  readonly connected_at: string;
  readonly last_used_at: string | null;
  readonly scopes_granted: readonly string[] | null;
  readonly models: readonly { readonly name: string; readonly count: number }[];
  readonly withdrawable: boolean;
}

export async function fetchOwnConnections(api: Api): Promise<readonly OwnConnection[]> {
  return dataOf(await callApi(api, { path: "/connect/connections" }));
}

export async function startReconnecting(api: Api, id: string): Promise<{ readonly token: string }> {
  return dataOf(await callApi(api, { method: "POST", path: `${pathOf(id)}/reconnect` }));
}

export async function deleteOwnConnection(api: Api, id: string): Promise<void> {
  await callApi(api, { method: "DELETE", path: pathOf(id) });
}

function pathOf(id: string): string {
  return `/connect/connections/${encodeURIComponent(id)}`;
}

export async function fetchIntegrations(api: Api): Promise<readonly Integration[]> {
  const integrations = dataOf<readonly Integration[]>(
    await callApi(api, { path: "/integrations" }),
  );
  return integrations.map((integration) => ({ ...integration, ...logoOf(api, integration) }));
}

export async function fetchProvider(api: Api, name: string): Promise<Provider> {
  const path = `/providers/${encodeURIComponent(name)}`;
  return dataOf<Provider>(await callApi(api, { path }));
}

/** Scopes that the provider will be asked for. */
export async function fetchScopeNames(
  api: Api,
  integrationKey: string,
): Promise<readonly string[]> {
  const path = `/connect/session/access/${encodeURIComponent(integrationKey)}`;
  return dataOf<{ scopes: readonly string[] }>(await callApi(api, { path })).scopes;
}

/** The answers are the server's own, which its tests hold to the contract that these types restate. */
export function dataOf<Data>(body: unknown): Data {
  return (body as { data: Data }).data;
}
