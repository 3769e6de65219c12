import { messageOf, UserError } from "../../user-error.ts";

/** The largest documents of providers have 15 MB. */
export const DOCUMENT_BYTES = 50 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** The text at an http or https address, of at most 50 MiB. */
export async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    throw new UserError(`${url} cannot be fetched: ${messageOf(error)}`, { cause: error });
  });
  if (!response.ok) throw new UserError(`${url} cannot be fetched: it answers ${response.status}.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > DOCUMENT_BYTES) throw tooLarge(url);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export function tooLarge(name: string): UserError {
  return new UserError(`${name} has more than ${DOCUMENT_BYTES / 1024 / 1024} MiB.`);
}
