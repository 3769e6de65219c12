import { createHash } from "node:crypto";
import type { ElicitRequestParams } from "@modelcontextprotocol/client";
import { getDomain } from "tldts";
import { listIssuerHosts } from "#auth-modes";
import { getFreshCredentials, hideCredentials } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { toCallSubject } from "#integrations";
import type { AskedAddress, RunCaller } from "#slice";
import type { UpstreamServer } from "../client/door.ts";
import { cleanText } from "../definitions/clean-text.ts";

type Form = Parameters<RunCaller["elicit"]>[0];

/** What a server wants of the user, in the form in which it may be passed on. */
export type PassedOn =
  | { readonly kind: "form"; readonly key: string; readonly form: Form }
  | { readonly kind: "address"; readonly key: string; readonly address: AskedAddress }
  | { readonly kind: "refused"; readonly reason: string };

export type Answer = NonNullable<ReturnType<RunCaller["elicit"]>>;

const LONGEST_MESSAGE = 500;
const LONGEST_URL = 2000;
const MOST_FIELDS = 20;
const MOST_BYTES = 16 * 1024;
/** What no form may ask for (Model Context Protocol, elicitation): the user would type it into somebody's server. */
const secretWords =
  /passw|passphrase|passcode|secret|api.?key|token|credential|private.?key|\botp\b|\bpin\b|\bcvv\b|card.?number/i;

/**
 * What a server asks, as the user's client may be asked: a form under the server's name, or an address of its own
 * domain or of the one that issued the credentials. Anything else is refused: sampling, roots, addresses elsewhere.
 */
export async function passOn(
  ctx: EnvironmentContext,
  server: UpstreamServer,
  asked: { readonly key: string; readonly method: string; readonly params: unknown },
): Promise<PassedOn> {
  const key = keyOf(asked.key);
  if (asked.method !== "elicitation/create")
    return refused(`asks for ${asked.method.slice(0, 50)}`);
  // The client has checked its form, but for texts that it knows nothing of.
  const params = Object(asked.params) as ElicitRequestParams;
  const words = await hide(ctx, server, JSON.stringify(params));
  if (words !== JSON.stringify(params)) return refused("sends credentials along");
  const message = `${nameOf(server)} asks: ${cleanText(params.message, LONGEST_MESSAGE)}`;
  if (params.mode === "url") {
    const url = await findOwnAddress(ctx, server, params.url);
    if (url === undefined) return refused("wants to have an address of somebody else opened");
    return { kind: "address", key, address: { key, url, message } };
  }
  const { requestedSchema } = params;
  const fields = Object.keys(requestedSchema.properties);
  const text = JSON.stringify(requestedSchema);
  if (fields.length > MOST_FIELDS || text.length > MOST_BYTES)
    return refused("sends too long a form");
  if (secretWords.test(text)) return refused("asks for a secret in a form");
  return { kind: "form", key, form: { key, message, schema: toSchema(requestedSchema) } };
}

function refused(reason: string): PassedOn {
  return { kind: "refused", reason };
}

/** In request states, next to those of others. */
function keyOf(key: string): string {
  if (/^[\w.-]{1,60}$/.test(key)) return `upstream.${key}`;
  return `upstream.${createHash("sha256").update(key).digest("hex").slice(0, 20)}`;
}

function nameOf({ integration }: UpstreamServer): string {
  return cleanText(integration.displayName ?? integration.uniqueKey, 100);
}

function toSchema({
  properties,
  required,
}: {
  readonly properties: Record<string, object>;
  readonly required?: string[] | undefined;
}): Form["schema"] {
  const cleaned = Object.entries(properties).map(([name, field]) => [name, cleanField(field)]);
  return {
    ...{ type: "object", properties: Object.fromEntries(cleaned) },
    ...(required === undefined ? {} : { required }),
  };
}

function cleanField(field: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(field).map(([key, value]) => [
      key,
      typeof value === "string" ? cleanText(value, LONGEST_MESSAGE) : value,
    ]),
  );
}

/** Undefined for an address that leads elsewhere, or not by TLS. */
async function findOwnAddress(
  ctx: EnvironmentContext,
  server: UpstreamServer,
  text: string,
): Promise<string | undefined> {
  const url = text.length > LONGEST_URL ? null : URL.parse(text);
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") return undefined;
  if (isOfOneOwner(url.hostname, server.url.hostname)) return url.href;
  const { integration, connection } = server;
  const { credentials } = await getFreshCredentials(ctx, { integration, connection, force: false });
  const subject = toCallSubject(integration, connection.connectionConfig);
  const issuers = listIssuerHosts(subject, credentials);
  return issuers.some((host) => isOfOneOwner(url.hostname, host)) ? url.href : undefined;
}

async function hide(
  ctx: EnvironmentContext,
  { integration: { uniqueKey: integration }, connection }: UpstreamServer,
  text: string,
): Promise<string> {
  return await hideCredentials(ctx, { integration, connection }, text);
}

/**
 * Whether two hosts are of one owner: the same name directly below a public suffix, where people may register names
 * (publicsuffix.org); hosts that are addresses have to be equal.
 */
function isOfOneOwner(host: string, other: string): boolean {
  if (host === other) return true;
  const options = { allowPrivateDomains: true };
  const domain = getDomain(host, options);
  return domain !== null && domain === getDomain(other, options);
}
