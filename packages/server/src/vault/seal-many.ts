import { decrypt, encrypt } from "#platform";
import { getDataKey, getDataKeyById, type VaultContext } from "./data-key.ts";
import { toDecryptionFailure } from "./decryption-failure.ts";
import { authenticated, HEAD_BYTES, readKeyId, type SealPlace, sealedHead } from "./seal.ts";

/** `seal` for many texts of one environment: the key is fetched once, each text is sealed without waiting. */
export async function createSealer(
  ctx: VaultContext,
  environmentId: string,
): Promise<(place: Omit<SealPlace, "environmentId">, plaintext: Uint8Array) => Buffer> {
  const { id, key } = await getDataKey(ctx, environmentId, "seal");
  const head = sealedHead(id);
  return (place, plaintext) => {
    const sealed = encrypt(key.reveal(), authenticated({ environmentId, ...place }), plaintext);
    return Buffer.concat([head, sealed]);
  };
}

/** `open` for many texts, in their order; each key is fetched once. */
export async function openMany(
  ctx: VaultContext,
  texts: readonly { readonly place: SealPlace; readonly sealed: Uint8Array }[],
): Promise<Buffer[]> {
  const keys = new Map<string, Buffer>();
  const opened: Buffer[] = [];
  for (const { place, sealed } of texts) {
    try {
      const head = Buffer.from(sealed.subarray(0, HEAD_BYTES)).toString("latin1");
      let key = keys.get(head);
      if (key === undefined) {
        key = (await getDataKeyById(ctx, readKeyId(place, sealed).id)).key.reveal();
        keys.set(head, key);
      }
      opened.push(decrypt(key, authenticated(place), sealed.subarray(HEAD_BYTES)));
    } catch (error) {
      throw toDecryptionFailure(ctx, place, error);
    }
  }
  return opened;
}
