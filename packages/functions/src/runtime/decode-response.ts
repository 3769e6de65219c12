import type { ProxyConfiguration } from "../proxy-configuration.ts";

const responseTypes: ReadonlySet<string> = new Set(["json", "text", "arraybuffer"]);

/** Refuses what a run cannot be given, before the call is made. */
export function checkResponseType(responseType: string | undefined): void {
  if (responseType === undefined || responseTypes.has(responseType)) return;
  throw new TypeError(
    `responseType "${responseType}" is not available; use "arraybuffer" for bytes, or "json" or "text".`,
  );
}

export function decodeResponse(
  body: Uint8Array,
  responseType: ProxyConfiguration["responseType"],
): unknown {
  if (responseType === "arraybuffer") return toBuffer(body);
  const text = new TextDecoder().decode(body);
  if (responseType === "text") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
