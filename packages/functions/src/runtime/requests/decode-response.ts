import { Readable } from "node:stream";
import type { ProxyConfiguration } from "../../proxy-configuration.ts";

const responseTypes: ReadonlySet<string> = new Set([
  ...["json", "text", "arraybuffer", "blob", "stream", "document"],
]);

/** Refuses what a run cannot be given, before the call is made. */
export function checkResponseType(responseType: string | undefined): void {
  if (responseType === undefined || responseTypes.has(responseType)) return;
  throw new TypeError(
    `responseType "${responseType}" is not available; use one of ${[...responseTypes].join(", ")}.`,
  );
}

export function decodeResponse(
  body: Uint8Array,
  responseType: ProxyConfiguration["responseType"],
  contentType = "",
): unknown {
  if (responseType === "arraybuffer") return toBuffer(body);
  if (responseType === "blob") return new Blob([new Uint8Array(body)], { type: contentType });
  if (responseType === "stream") return Readable.from([toBuffer(body)], { objectMode: false });
  const text = new TextDecoder().decode(body);
  if (responseType === "text" || responseType === "document") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
