import {
  allowInsecureRequests,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  None,
} from "openid-client";
import { AppError, messageOf, SECOND, type SystemContext } from "#foundation";
import { open, seal } from "#vault";
import type { ProviderRow } from "./store.ts";

const TIMEOUT_MS = 10 * SECOND;
/** Documents of issuers, their keys included, are a few kilobytes. */
const MOST_BYTES = 1024 * 1024;

function aadOf(id: string) {
  return { environmentId: null, table: "oidc_providers", column: "client_secret", row: id };
}

export async function sealClientSecret(
  ctx: SystemContext,
  id: string,
  secret: string,
): Promise<Buffer> {
  return await seal(ctx, aadOf(id), Buffer.from(secret));
}

/** A client of the identity provider, by what its issuer says of itself; throws identity_provider_failed. */
export async function openClient(
  ctx: SystemContext,
  {
    id,
    issuer,
    clientId,
    clientSecret,
  }: Pick<ProviderRow, "id" | "issuer" | "clientId" | "clientSecret">,
): Promise<Configuration> {
  const secret =
    clientSecret === null ? undefined : (await open(ctx, aadOf(id), clientSecret)).toString();
  return await discoverIssuer(ctx, { issuer, clientId, secret });
}

/** A client of an issuer, by what its metadata says; throws identity_provider_failed. */
export async function discoverIssuer(
  ctx: SystemContext,
  {
    issuer,
    clientId,
    secret,
    algorithm = "oidc",
  }: {
    issuer: string;
    clientId: string;
    secret: string | undefined;
    /** `oauth2` for an issuer that has the metadata of RFC 8414 alone. */
    algorithm?: "oidc" | "oauth2";
  },
): Promise<Configuration> {
  const proof = secret === undefined ? None() : ClientSecretPost(secret);
  // Egress lets http through only to addresses that the operator has opened.
  const execute =
    issuer.startsWith("http:") && ctx.http.isOpened(issuer) ? [allowInsecureRequests] : [];
  try {
    return await discovery(new URL(issuer), clientId, {}, proof, {
      ...{ execute, algorithm },
      [customFetch]: throughEgress(ctx),
      timeout: TIMEOUT_MS / SECOND,
    });
  } catch (cause) {
    throw toProviderFailure(cause);
  }
}

export function toProviderFailure(cause: unknown): AppError {
  if (cause instanceof AppError && cause.code === "identity_provider_failed") return cause;
  const inner =
    cause instanceof Error && cause.cause instanceof Error ? ` (${cause.cause.message})` : "";
  const message = `The identity provider cannot be used: ${messageOf(cause)}${inner}.`;
  return new AppError("identity_provider_failed", message, { cause });
}

/** All calls go through egress: each address is checked like that of every call to elsewhere. */
export function throughEgress({
  http,
  signal,
}: Pick<SystemContext, "http" | "signal">): CustomFetch {
  return async (url, { method, headers, body }) => {
    const answer = await http.request({
      method,
      url,
      headers,
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MOST_BYTES,
      signal,
    });
    const given = Object.entries(answer.headers).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: given,
    });
  };
}
