import type { Credentials, IntegrationCredentials } from "#auth-modes";
import { type ConnectionUuid, type EnvironmentContext, Secret } from "#foundation";
import type { Integration } from "#integrations";
import { type AssociatedData, openJson, sealJson } from "#vault";
import type { Connection } from "./connection.ts";

/** Opened once for as long as somebody holds the sealed form; in memory only. */
// Kept with its key: the sealed form that one server has read.
const opened = new WeakMap<Buffer, Secret<Credentials>>();

export async function openCredentials(
  ctx: EnvironmentContext,
  { uuid, sealedCredentials }: Pick<Connection, "uuid" | "sealedCredentials">,
): Promise<Credentials> {
  const known = opened.get(sealedCredentials);
  if (known !== undefined) return known.reveal();
  const credentials = asCredentials(await openJson(ctx, aadOf(ctx, uuid), sealedCredentials));
  opened.set(sealedCredentials, new Secret(credentials));
  return credentials;
}

/** Credentials that are already decrypted; undefined otherwise. */
export function getCredentialsIfOpened({
  sealedCredentials,
}: Pick<Connection, "sealedCredentials">): Credentials | undefined {
  return opened.get(sealedCredentials)?.reveal();
}

export async function sealCredentials(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  credentials: Credentials,
): Promise<Buffer> {
  return await sealJson(ctx, aadOf(ctx, uuid), credentials);
}

/** All that a withdrawal at the provider needs, when integration and connection are gone. */
export interface SealedRevocation {
  readonly provider: string;
  readonly integrationCredentials?: IntegrationCredentials | undefined;
  readonly integrationConfig: Readonly<Record<string, string>>;
  readonly connectionConfig: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  /** The integration's, where its calls go another way. */
  readonly settings?: Integration["settings"] | undefined;
  /** Of a custom provider. */
  readonly definition?: Integration["definition"];
}

/** In place of the credentials, which the deleted row no longer has. */
export async function sealRevocation(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  revocation: SealedRevocation,
): Promise<Buffer> {
  return await sealJson(ctx, aadOf(ctx, uuid), revocation);
}

export async function openRevocation(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  sealed: Buffer,
): Promise<SealedRevocation> {
  return asRevocation(await openJson(ctx, aadOf(ctx, uuid), sealed));
}

// Authenticated encryption: a deleted row that holds anything holds what sealRevocation was given.
function asRevocation(opened: unknown): SealedRevocation {
  return opened as SealedRevocation;
}

function aadOf(ctx: EnvironmentContext, uuid: ConnectionUuid): AssociatedData {
  return {
    environmentId: ctx.environment.id,
    table: "connections",
    column: "credentials",
    row: uuid,
  };
}

// Authenticated encryption: what opens is what sealCredentials was given.
function asCredentials(opened: unknown): Credentials {
  return opened as Credentials;
}
