import { callApi } from "../api.ts";
import { integrationsQuery } from "../integrations.ts";
import type { OwnEnvironment } from "../me.ts";
import { queryClient } from "../query-client.ts";
import { holdsScope } from "../scopes.ts";

/** Something whose name has a text in it, and the address of its page. */
export interface FoundByText {
  readonly kind: "connection" | "integration" | "function";
  readonly text: string;
  readonly to: string;
}

/** Of each kind: who wants another one types more of it. */
const MOST = 5;

/** Connections by id and end user, integrations and functions by name. Throws ApiError. */
export async function findByText(
  own: OwnEnvironment,
  text: string,
  signal: AbortSignal,
): Promise<readonly FoundByText[]> {
  const found = await Promise.all([
    findConnections(own, text, signal),
    findIntegrations(own, text),
    findFunctions(own, text, signal),
  ]);
  return found.flat();
}

async function findConnections(
  { name: environment, scopes }: OwnEnvironment,
  search: string,
  signal: AbortSignal,
): Promise<readonly FoundByText[]> {
  if (!holdsScope(scopes, "environment:connections:list")) return [];
  const query = Object({ search, limit: String(MOST) });
  const { connections } = await callApi("listConnections", { environment, query, signal });
  return connections.map(({ connection_id: id, provider_config_key: integration, ...of }) => ({
    kind: "connection",
    text: [id, integration, of.end_user?.display_name ?? of.tags["end_user_id"]]
      .filter((part) => typeof part === "string" && part !== "")
      .join(" · "),
    to: addressIn(environment, ["connections", integration, id, "overview"]),
  }));
}

/** All of them are read once, and kept for the filters of other screens. */
async function findIntegrations(
  { name: environment, scopes }: OwnEnvironment,
  text: string,
): Promise<readonly FoundByText[]> {
  if (!holdsScope(scopes, "environment:integrations:list")) return [];
  const integrations = await queryClient.fetchQuery(integrationsQuery(environment));
  const words = text.toLowerCase();
  return integrations
    .filter(({ unique_key: key, display_name: name }) =>
      `${key} ${name}`.toLowerCase().includes(words),
    )
    .slice(0, MOST)
    .map(({ unique_key: key, display_name: name }) => ({
      kind: "integration",
      text: key.toLowerCase() === name.toLowerCase() ? key : `${key} · ${name}`,
      to: addressIn(environment, ["integrations", key]),
    }));
}

async function findFunctions(
  { name: environment, scopes }: OwnEnvironment,
  search: string,
  signal: AbortSignal,
): Promise<readonly FoundByText[]> {
  if (!holdsScope(scopes, "environment:functions:list")) return [];
  const query = Object({ search, limit: String(MOST) });
  const { data } = await callApi("listEnvironmentFunctions", { environment, query, signal });
  return data.map(({ name, type, provider_config_key: integration }) => ({
    kind: "function",
    text: `${name} · ${integration}`,
    to: addressIn(environment, ["functions", integration, type, name, "overview"]),
  }));
}

function addressIn(environment: string, parts: readonly string[]): string {
  return `/${[environment, ...parts].map(encodeURIComponent).join("/")}`;
}
