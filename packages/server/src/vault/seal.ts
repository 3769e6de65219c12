import { createSecretKey, type KeyObject } from "node:crypto";
import { decryptInSlices, encryptPartsInto, SEAL_BYTES } from "#foundation";
import type { AssociatedData } from "./associated-data.ts";
import { getDataKey, getDataKeyById, type VaultContext } from "./data-key.ts";
import { toDecryptionFailure } from "./decryption-failure.ts";

const VERSION = 1;
const ID_BYTES = 16;
export const HEAD_BYTES: number = 1 + ID_BYTES;

/** Encrypts with the environment's data key: version byte, key id, nonce, ciphertext, tag. Several parts are one text. */
export async function seal(
  ctx: VaultContext,
  aad: AssociatedData,
  ...parts: readonly Uint8Array[]
): Promise<Buffer> {
  const { id, key } = await getDataKey(ctx, aad.environmentId, "seal");
  return await sealParts({ id, key: createSecretKey(key.reveal()) }, aad, parts);
}

/** A sealed text of a key that is at hand. */
export async function sealParts(
  { id, key }: { readonly id: string; readonly key: KeyObject },
  aad: AssociatedData,
  parts: readonly Uint8Array[],
): Promise<Buffer> {
  const bytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const sealed = Buffer.allocUnsafe(HEAD_BYTES + SEAL_BYTES + bytes);
  sealed.set(sealedHead(id));
  await encryptPartsInto(sealed, HEAD_BYTES, { key, aad: authenticated(aad), parts });
  return sealed;
}

/** Opens what `seal` made with the same associated data; throws decryption_failed for anything else. */
export async function open(
  ctx: VaultContext,
  aad: AssociatedData,
  sealed: Uint8Array,
): Promise<Buffer> {
  try {
    const { id, rest } = readKeyId(aad, sealed);
    const { key } = await getDataKeyById(ctx, id);
    return await decryptInSlices(key.reveal(), authenticated(aad), rest);
  } catch (error) {
    throw toDecryptionFailure(ctx, aad, error);
  }
}

export async function sealJson(
  ctx: VaultContext,
  aad: AssociatedData,
  value: unknown,
): Promise<Buffer> {
  return await seal(ctx, aad, Buffer.from(JSON.stringify(value)));
}

export async function openJson(
  ctx: VaultContext,
  aad: AssociatedData,
  sealed: Uint8Array,
): Promise<unknown> {
  return JSON.parse((await open(ctx, aad, sealed)).toString("utf8"));
}

/** First bytes of a sealed text: version and data key. */
export function sealedHead(keyId: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), toKeyBytes(keyId)]);
}

/** A data key's id in a sealed text, after the version. */
export function toKeyBytes(keyId: string): Buffer {
  return Buffer.from(keyId.replaceAll("-", ""), "hex");
}

/** Takes a sealed text apart; throws when it is none. */
export function readKeyId(
  aad: AssociatedData,
  sealed: Uint8Array,
): { id: string; rest: Uint8Array } {
  if (sealed[0] !== VERSION || sealed.byteLength <= HEAD_BYTES) {
    throw new Error(`${aad.table}.${aad.column} holds no sealed text`);
  }
  return { id: keyIdOf(sealed), rest: sealed.subarray(HEAD_BYTES) };
}

/** The data key that a sealed text names. */
export function keyIdOf(sealed: Uint8Array): string {
  return toUuid(sealed.subarray(1, HEAD_BYTES));
}

/** `authenticated` for rows whose identities begin with the `row` of `aad`, cut in two. */
export function authenticatedRows(aad: AssociatedData): {
  beginning: string;
  endOf(rest: string): string;
} {
  // JSON writes a text character by character.
  const beginning = authenticated(aad).slice(0, -'"]'.length);
  return { beginning, endOf: (rest) => `${JSON.stringify(rest).slice(1)}]` };
}

export function authenticated({ environmentId, table, column, row }: AssociatedData): string {
  return JSON.stringify([VERSION, environmentId, table, column, row]);
}

function toUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
