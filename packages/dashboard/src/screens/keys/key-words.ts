import type { ApiKey, KeyOwner } from "../../data/environment/keys.ts";
import type { Tone } from "../../parts/badge.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import type { Texts } from "../../texts/english.ts";

const DAY = 24 * 60 * 60_000;
const UNUSED_MS = 90 * DAY;

type KeyTexts = Texts["keys"];

/** Whether a key still works, and whether anybody uses it. */
export function stateOf(key: ApiKey, texts: KeyTexts, now = Date.now()): readonly [Tone, string] {
  const { expires_at: expiresAt, last_used_at: usedAt, created_at: createdAt } = key;
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return ["bad", texts.expired];
  const isUnused = now - Date.parse(usedAt ?? createdAt) > UNUSED_MS;
  if (isUnused) return ["warn", texts.unused];
  return usedAt === null ? ["idle", texts.notUsed] : ["good", texts.inUse];
}

export function scopesText({ scopes }: ApiKey, texts: KeyTexts): string {
  if (scopes.some((scope) => /^[a-z]+:\*$/.test(scope))) return texts.everything;
  return scopes.length === 1 ? (scopes[0] ?? "") : texts.count(formatNumber(scopes.length));
}

export function creatorOf({ created_by: by }: ApiKey, texts: KeyTexts): string {
  if (by === null) return "";
  return by.name ?? texts.creators[by.kind];
}

/** When a key of this choice ends; nothing when it stays as it is. */
export function expiryOf(choice: string, now = Date.now()): string | null | undefined {
  if (choice === "keep") return undefined;
  return choice === "never" ? null : new Date(now + Number(choice) * DAY).toISOString();
}

/** How far the time of the last use may lag behind. */
const PRECISION_MS = 60_000;

/** Whether anybody has used a key since it was replaced. */
export function isUsedSince({ last_used_at: usedAt }: ApiKey, next: ApiKey): boolean {
  return usedAt !== null && Date.parse(usedAt) > Date.parse(next.created_at) + PRECISION_MS;
}

/** Where the last call came from, as far as it is known. */
export function callerText({ last_used_from: from }: ApiKey, texts: KeyTexts): string {
  const known = [from?.user_agent, from?.address].filter((text) => typeof text === "string");
  return known.length === 0 ? texts.unknownCaller : plainText(known.join(", "), 240);
}

export function isOfAccount(owner: KeyOwner): owner is "account" {
  return owner === "account";
}

/** The list with the panel of a key open. */
export function keyTarget(owner: KeyOwner, id: string) {
  return { to: ".", search: { of: isOfAccount(owner) ? owner : undefined, open: id } } as const;
}
