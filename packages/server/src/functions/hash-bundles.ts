import { extname } from "node:path";
import { JobThread } from "#foundation";
import { hashBundle } from "./hashing/hash-bundle.ts";
import type { Bundle } from "./store.ts";

/** More characters than these are hashed in a thread, as many at a time. */
const AT_ONCE = 1_000_000;

// Process-wide: the thread keeps nothing of what it hashes.
let thread: JobThread<readonly Bundle[], readonly Uint8Array[]> | undefined;

/** Hashes of bundles, in the order given; large ones are hashed in a thread, while the process serves others. */
export async function hashBundles(bundles: readonly Bundle[]): Promise<Buffer[]> {
  const batches = toBatches(bundles);
  if (batches.length <= 1) return bundles.map(hashBundle);
  const hashes: Buffer[] = [];
  for (const batch of batches) {
    thread ??= new JobThread({
      entry: new URL(`./hashing/hash-thread-entry${extname(import.meta.url)}`, import.meta.url),
      onEnd: () => {
        thread = undefined;
      },
    });
    const found = await thread.run(batch);
    hashes.push(...(found?.map((hash) => Buffer.from(hash)) ?? batch.map(hashBundle)));
  }
  return hashes;
}

function toBatches(bundles: readonly Bundle[]): Bundle[][] {
  const batches: Bundle[][] = [];
  let characters = AT_ONCE;
  for (const { code, source, sourceMap } of bundles) {
    if (characters >= AT_ONCE) {
      batches.push([]);
      characters = 0;
    }
    batches.at(-1)?.push({ code, source, sourceMap });
    characters += code.length + source.length + (sourceMap?.length ?? 0);
  }
  return batches;
}
