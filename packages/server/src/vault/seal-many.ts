import { createSecretKey, type KeyObject } from "node:crypto";
import { decrypt, encrypt } from "#platform";
import { getDataKey, getDataKeyById, type VaultContext } from "./data-key.ts";
import { toDecryptionFailure } from "./decryption-failure.ts";
import {
  authenticated,
  authenticatedRows,
  HEAD_BYTES,
  readKeyId,
  type SealPlace,
  sealedHead,
} from "./seal.ts";

/** `seal` for many texts of one environment: the key is fetched once, each text is sealed without waiting. */
export async function createSealer(
  ctx: VaultContext,
  environmentId: string,
): Promise<(place: Omit<SealPlace, "environmentId">, plaintext: Uint8Array) => Buffer> {
  const { id, key } = await getDataKey(ctx, environmentId, "seal");
  const head = sealedHead(id);
  const secret = createSecretKey(key.reveal());
  return (place, plaintext) => {
    const sealed = encrypt(secret, authenticated({ environmentId, ...place }), plaintext);
    return Buffer.concat([head, sealed]);
  };
}

/**
 * `open` for many texts of one column whose rows' identities begin alike: with the place's `row`, each with its
 * own `rest`. Each key is fetched once.
 */
export async function openMany(
  ctx: VaultContext,
  place: SealPlace,
  texts: readonly { readonly rest: string; readonly sealed: Uint8Array }[],
): Promise<Buffer[]> {
  const placeOf = authenticatedRows(place);
  let known: { readonly head: Buffer; readonly key: KeyObject } | undefined;
  const opened: Buffer[] = [];
  try {
    for (const { rest, sealed } of texts) {
      if (known === undefined || known.head.compare(sealed, 0, HEAD_BYTES) !== 0) {
        const { key } = await getDataKeyById(ctx, readKeyId(place, sealed).id);
        const head = Buffer.from(sealed.subarray(0, HEAD_BYTES));
        known = { head, key: createSecretKey(key.reveal()) };
      }
      opened.push(decrypt(known.key, placeOf(rest), sealed.subarray(HEAD_BYTES)));
    }
  } catch (error) {
    throw toDecryptionFailure(ctx, place, error);
  }
  return opened;
}
