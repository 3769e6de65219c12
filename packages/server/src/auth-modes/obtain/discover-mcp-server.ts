import { isWebAddress } from "@jackfield/catalogue";
import { writeCall } from "../apply/write-call.ts";
import type { AuthTools } from "../auth-mode.ts";
import { failedAs, ProviderFailure } from "../observe/provider-failure.ts";
import { sendCall } from "./request-token.ts";
import { parseTokenAnswer } from "./token-answer.ts";

/** What an authorization server says of itself (RFC 8414), as far as a connection needs it. */
export interface DiscoveredServer {
  readonly issuer: string;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly registrationUrl: string | undefined;
  /** RFC 7009. */
  readonly revocationUrl: string | undefined;
  /** Whether a metadata document's address may be the client's id. */
  readonly takesMetadataDocument: boolean;
  readonly tokenAuthMethods: readonly string[];
  readonly sendsIssuer: boolean;
  /** Scopes that the MCP server lists. */
  readonly scopes: readonly string[];
}

type Metadata = Readonly<Record<string, unknown>>;

/** Finds the authorization server of an MCP server (RFC 9728, then RFC 8414); throws ProviderFailure. */
export async function discoverMcpServer(
  serverUrl: string,
  tools: AuthTools,
): Promise<DiscoveredServer> {
  if (!isWebAddress(serverUrl)) throw fail("The address of the MCP server is not a web address.");
  const resource = await findResource(serverUrl, tools);
  const issuer = resource?.issuer ?? new URL(serverUrl).origin;
  const metadata = await findServerMetadata(issuer, tools);
  if (metadata === undefined)
    throw fail(`${issuer} publishes no metadata of an authorization server.`);
  const challenges = listTexts(metadata["code_challenge_methods_supported"]);
  if (challenges.length > 0 && !challenges.includes("S256")) {
    throw fail(`${issuer} does not support PKCE with S256.`);
  }
  return {
    issuer,
    authorizationUrl: requireAddress(metadata, "authorization_endpoint"),
    tokenUrl: requireAddress(metadata, "token_endpoint"),
    registrationUrl: readAddress(metadata, "registration_endpoint"),
    revocationUrl: readAddress(metadata, "revocation_endpoint"),
    takesMetadataDocument: metadata["client_id_metadata_document_supported"] === true,
    tokenAuthMethods: listTexts(metadata["token_endpoint_auth_methods_supported"]),
    sendsIssuer: metadata["authorization_response_iss_parameter_supported"] === true,
    scopes: resource?.scopes ?? [],
  };
}

async function findResource(serverUrl: string, tools: AuthTools) {
  const { origin, pathname } = new URL(serverUrl);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const path = pathname.replace(/(?<!\/)\/+$/, "");
  const named = await askServer(serverUrl, tools);
  const candidates = [named, ...(path === "" ? [] : [wellKnown + path]), wellKnown];
  for (const url of candidates) {
    if (url === undefined) continue;
    const metadata = await fetchMetadata(url, tools);
    const [issuer] = listTexts(metadata?.["authorization_servers"]);
    if (metadata === undefined || issuer === undefined) continue;
    // A document that speaks for another resource must not choose where the user signs in.
    const resource = readAddress(metadata, "resource");
    if (resource === undefined || new URL(resource).origin !== origin) continue;
    if (!isWebAddress(issuer)) continue;
    return { issuer, scopes: listTexts(metadata["scopes_supported"]) };
  }
  return undefined;
}

/** The address that the server's refusal names (RFC 9728 section 5.1). */
async function askServer(url: string, tools: AuthTools): Promise<string | undefined> {
  const { headers } = await call(url, tools);
  const challenge = [headers["www-authenticate"]].flat().join(", ");
  const named = /resource_metadata="([^"]+)"/.exec(challenge)?.[1];
  return named !== undefined && isWebAddress(named) ? named : undefined;
}

async function findServerMetadata(issuer: string, tools: AuthTools): Promise<Metadata | undefined> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/(?<!\/)\/+$/, "");
  const candidates = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
  for (const url of candidates) {
    const metadata = await fetchMetadata(url, tools);
    if (metadata === undefined) continue;
    // RFC 8414 section 3.3: metadata of another issuer are those of an impostor.
    if (withoutSlash(metadata["issuer"]) === withoutSlash(issuer)) return metadata;
    throw fail(`The metadata at ${origin} are those of another issuer.`);
  }
  return undefined;
}

function withoutSlash(value: unknown): string {
  return typeof value === "string" ? value.replace(/\/$/, "") : "";
}

async function fetchMetadata(url: string, tools: AuthTools): Promise<Metadata | undefined> {
  const { status, body } = await call(url, tools);
  return status === 200 ? parseTokenAnswer(body) : undefined;
}

async function call(url: string, tools: AuthTools) {
  const headers = { accept: "application/json, text/event-stream" };
  try {
    return await sendCall(
      writeCall({ method: "GET", url, format: "none", headers, fields: {} }),
      tools,
    );
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    throw fail(`The MCP server could not be asked how to sign in: ${error.message}`);
  }
}

function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function readAddress(metadata: Metadata, name: string): string | undefined {
  const value = metadata[name];
  return typeof value === "string" && isWebAddress(value) ? value : undefined;
}

function requireAddress(metadata: Metadata, name: string): string {
  const address = readAddress(metadata, name);
  if (address !== undefined) return address;
  throw fail(`The authorization server names no ${name}.`);
}

function fail(message: string): ProviderFailure {
  return failedAs("token_err", message);
}
