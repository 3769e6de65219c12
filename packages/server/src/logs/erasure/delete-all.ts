import type { ErasedPage, ErasedRows, LogPosition } from "./store.ts";

/** Deletes page after page until the end; resolves to what was deleted in all. Throws once the signal is aborted. */
export async function deleteAll(
  { signal }: { readonly signal: AbortSignal },
  deletePage: (after: LogPosition | undefined) => Promise<ErasedPage>,
): Promise<ErasedRows> {
  let [operations, messages] = [0, 0];
  let after: LogPosition | undefined;
  do {
    signal.throwIfAborted();
    const page = await deletePage(after);
    operations += page.operations;
    messages += page.messages;
    after = page.last;
  } while (after !== undefined);
  return { operations, messages };
}
