import type { Dispatcher } from "undici";
import { isAboutQuota } from "../limits/is-about-quota.ts";
import { isHopByHop, listConnectionNames } from "../request/hop-by-hop.ts";

/** Ours alone: a provider's answer must not pass for one of the server. */
const reserved = new Set(["svc-retry-skipped", "svc-answered-by"]);
// Failures of the server carry it, and nothing else of ours; a provider's own is marked.
const ERROR_SOURCE = "svc-error-source";

/** The headers of the provider's answer as they came, as name and value in turn, without hop-by-hop ones. */
export function toDownstreamHeaders(controller: Dispatcher.DispatchController): {
  readonly headers: string[];
  readonly tellsOfQuota: boolean;
} {
  const received = toTexts(controller.rawHeaders);
  const dropped = listConnectionNames(received);
  const passed: string[] = [];
  let tellsOfQuota = false;
  for (let index = 0; index + 1 < received.length; index += 2) {
    const name = received[index] ?? "";
    const key = name.toLowerCase();
    if (isHopByHop(key) || dropped.has(key) || reserved.has(key)) continue;
    passed.push(name, received[index + 1] ?? "");
    if (key === ERROR_SOURCE) passed.push("Svc-Answered-By", "provider");
    tellsOfQuota ||= isAboutQuota(key);
  }
  return { headers: passed, tellsOfQuota };
}

/** Header bytes are Latin-1 on the wire, both ways. */
export function toTexts(raw: Dispatcher.DispatchController["rawHeaders"]): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((item) => (typeof item === "string" ? item : item.toString("latin1")));
}

/** The first value of a header, among flat ones. */
export function findHeader(headers: readonly string[], name: string): string | undefined {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() === name) return headers[index + 1];
  }
  return undefined;
}

/** Flat headers without those of the given names. */
export function withoutHeaders(headers: readonly string[], isDropped: (name: string) => boolean) {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? "";
    if (!isDropped(name.toLowerCase())) kept.push(name, headers[index + 1] ?? "");
  }
  return kept;
}

/** Flat headers as an object with lower-case names; repeated ones become lists. */
export function toHeaderObject(headers: readonly string[]): Record<string, string | string[]> {
  const byName = new Map<string, string | string[]>();
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? "";
    const value = headers[index + 1] ?? "";
    const known = byName.get(name);
    byName.set(name, known === undefined ? value : [known, value].flat());
  }
  return Object.fromEntries(byName);
}
