import { createSecretKey } from "node:crypto";
import { decryptMany, encryptInto, SEAL_BYTES } from "#foundation";
import type { AssociatedData } from "./associated-data.ts";
import { getDataKey, getDataKeyById, type VaultContext } from "./data-key.ts";
import { toDecryptionFailure, UnknownDataKey } from "./decryption-failure.ts";
import { authenticatedRows, HEAD_BYTES, readKeyId, sealedHead, sealParts } from "./seal.ts";

/** `seal` for many texts of one environment: the key is fetched once, and the database not asked again. */
export async function createSealer(
  ctx: VaultContext,
  environmentId: string,
): Promise<
  (aad: Omit<AssociatedData, "environmentId">, ...parts: readonly Uint8Array[]) => Promise<Buffer>
> {
  const { id, key: secret } = await getDataKey(ctx, environmentId, "seal");
  const key = createSecretKey(secret.reveal());
  return async (aad, ...parts) => await sealParts({ id, key }, { environmentId, ...aad }, parts);
}

/** Sealed texts one behind the other. */
export interface SealedBatch {
  readonly bytes: Buffer;
  readonly sizes: readonly number[];
}

export interface TextToSeal {
  /** End of the row's identity. */
  readonly rest: string;
  readonly plaintext: Uint8Array;
}

/**
 * `seal` for batches of texts of one column whose rows' identities begin alike: with the `row` of `aad`, each with
 * its own `rest`. The key is fetched once.
 */
export async function createBatchSealer(
  ctx: VaultContext,
  aad: AssociatedData & { readonly environmentId: string },
): Promise<(texts: readonly TextToSeal[]) => SealedBatch> {
  const { id, key: secret } = await getDataKey(ctx, aad.environmentId, "seal");
  const head = sealedHead(id);
  const key = createSecretKey(secret.reveal());
  const { beginning, endOf } = authenticatedRows(aad);
  return (texts) => {
    const sizes = texts.map(({ plaintext }) => HEAD_BYTES + SEAL_BYTES + plaintext.byteLength);
    const bytes = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size, 0));
    let at = 0;
    for (const { rest, plaintext } of texts) {
      bytes.set(head, at);
      const rowAad = `${beginning}${endOf(rest)}`;
      at = encryptInto(bytes, at + HEAD_BYTES, { key, aad: rowAad, plaintext });
    }
    return { bytes, sizes };
  };
}

/**
 * `open` for many texts of one column whose rows' identities begin alike: with the `row` of `aad`, each with its
 * own `rest`. Each key is fetched once. Undefined for a text whose associated data does not match, so that one of
 * them does not take the others along; without their key it throws `decryption_failed`.
 */
export async function openMany(
  ctx: VaultContext,
  aad: AssociatedData,
  texts: readonly SealedText[],
): Promise<(Buffer | undefined)[]> {
  try {
    return await openRuns(ctx, aad, texts);
  } catch (error) {
    const failure = toDecryptionFailure(ctx, aad, error);
    if (error instanceof UnknownDataKey) throw failure;
  }
  const opened: (Buffer | undefined)[] = [];
  for (const text of texts) {
    const [plaintext] = await openRuns(ctx, aad, [text]).catch((error: unknown) => {
      if (error instanceof UnknownDataKey) throw toDecryptionFailure(ctx, aad, error);
      return [];
    });
    opened.push(plaintext);
  }
  return opened;
}

async function openRuns(
  ctx: VaultContext,
  aad: AssociatedData,
  texts: readonly SealedText[],
): Promise<Buffer[]> {
  const { beginning, endOf } = authenticatedRows(aad);
  const opened: Buffer[] = [];
  for (const some of splitByKey(texts)) {
    const { key } = await getDataKeyById(ctx, readKeyId(aad, some[0].sealed).id);
    const plaintexts = await decryptMany({
      key: createSecretKey(key.reveal()),
      beginning,
      rests: some.map(({ rest }) => endOf(rest)),
      sealed: some.map(({ sealed }) => sealed.subarray(HEAD_BYTES)),
    });
    for (const plaintext of plaintexts) opened.push(plaintext);
  }
  return opened;
}

interface SealedText {
  readonly rest: string;
  readonly sealed: Uint8Array;
}

type SealedTexts = [SealedText, ...SealedText[]];

/** Runs of texts that begin alike: by the same key, in the same version. */
function splitByKey(texts: readonly SealedText[]): SealedTexts[] {
  const runs: SealedTexts[] = [];
  for (const text of texts) {
    const run = runs.at(-1);
    if (run !== undefined && haveSameHead(run[0], text)) run.push(text);
    else runs.push([text]);
  }
  return runs;
}

function haveSameHead(a: SealedText, b: SealedText): boolean {
  for (let n = 0; n < HEAD_BYTES; n += 1) if (a.sealed[n] !== b.sealed[n]) return false;
  return true;
}
