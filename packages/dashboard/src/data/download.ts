import { apiAddress } from "../start/base-path.ts";
import { addressOf, type CallOf, headersOf, type RouteName, toApiError } from "./api.ts";

/** Reads an answer whole and gives it to the browser as a file; throws ApiError. */
export async function downloadAnswer<Name extends RouteName>(
  name: Name,
  call: CallOf<Name>,
  { fileName, lastLine }: { fileName: string; lastLine?: string },
): Promise<void> {
  const { method, path } = addressOf(name, call);
  const response = await fetch(`${apiAddress}${path}`, {
    method,
    headers: headersOf(call),
    credentials: "same-origin",
  });
  if (!response.ok) {
    throw toApiError(name, response, await response.json().catch(() => undefined));
  }
  const blob = await response.blob();
  if (lastLine !== undefined) await requireEnd(blob, lastLine);
  saveFile(blob, fileName);
}

/** Gives content to the browser as a file. */
export function saveFile(blob: Blob, fileName: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

const END_BYTES = 4096;

/** A stream that broke off still answers 200: only its last line says that it is whole. */
async function requireEnd(blob: Blob, lastLine: string): Promise<void> {
  const end = await blob.slice(Math.max(blob.size - END_BYTES, 0)).text();
  if (end.trimEnd().split("\n").at(-1)?.startsWith(lastLine) === true) return;
  throw new Error("The answer broke off before its end. Try again.");
}
