import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { JobThread } from "../threads/index.ts";
import { decrypt, SEAL_BYTES } from "./aead.ts";
import { type DecryptJob, type SealedTexts, toJob } from "./sealed-texts.ts";

/** A cipher object costs more than decrypting 1 KB by it: few texts, or large ones, gain nothing by a thread. */
const TEXTS_FOR_THREAD = 64;
const MEAN_BYTES_FOR_THREAD = 16 * 1024;

/** One core is left to those who ask. */
const MAX_THREADS = Math.min(availableParallelism() - 1, 4);

type DecryptThread = JobThread<DecryptJob, Uint8Array<ArrayBuffer>>;

// Process-wide: the cores are.
const threads = new Set<DecryptThread>();

/**
 * `decrypt` for many texts, in the order given. Where the machine has a second core, many small texts are
 * decrypted in a thread, and the caller's continues meanwhile.
 */
export async function decryptMany(texts: SealedTexts): Promise<Buffer[]> {
  const thread = isWorthThread(texts) ? chooseThread() : undefined;
  const plain = thread === undefined ? undefined : await runIn(thread, toJob(texts));
  return plain === undefined ? decryptHere(texts) : cut(plain, texts);
}

/** The plaintexts, joined; undefined where the thread could not, and its caller meets the fault itself. */
export async function runIn(
  thread: DecryptThread,
  job: DecryptJob,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return await thread.run(job, [job.bytes.buffer]);
}

export function startDecryptThread(onEnd: () => void): DecryptThread {
  const entry = `./decrypt-thread-entry${extname(import.meta.url)}`;
  return new JobThread({ entry: new URL(entry, import.meta.url), onEnd });
}

function isWorthThread({ sealed }: SealedTexts): boolean {
  if (sealed.length < TEXTS_FOR_THREAD) return false;
  const bytes = sealed.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return bytes / sealed.length < MEAN_BYTES_FOR_THREAD;
}

/** An idle one, a new one while there may be more, or else the one with the least to do. */
function chooseThread(): DecryptThread | undefined {
  const [least] = [...threads].sort((a, b) => a.waiting - b.waiting);
  if (least?.waiting === 0 || threads.size >= MAX_THREADS) return least;
  const added = startDecryptThread(() => threads.delete(added));
  threads.add(added);
  return added;
}

function decryptHere({ key, beginning, rests, sealed }: SealedTexts): Buffer[] {
  return sealed.map((text, index) => decrypt(key, `${beginning}${rests[index]}`, text));
}

function cut(plain: Uint8Array<ArrayBuffer>, { sealed }: SealedTexts): Buffer[] {
  const bytes = Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
  let end = 0;
  return sealed.map(({ byteLength }) => {
    const start = end;
    end += byteLength - SEAL_BYTES;
    return bytes.subarray(start, end);
  });
}
