import type { Revocation, RevokedConnection } from "../../data/environment/revocations.ts";
import type { Tone } from "../../parts/badge.tsx";
import { formatDay, plainText } from "../../parts/formats.ts";
import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";
import type { RevocationTexts } from "../../texts/screens/revocations.ts";

export const REVOKE = "environment:revocations:create";

export const revocationTones: Readonly<Record<Revocation["state"], Tone>> = {
  freezing: "warn",
  withdrawing: "run",
  done: "good",
};

export const itemTones: Readonly<Record<RevokedConnection["state"], Tone>> = {
  waiting: "run",
  withdrawn: "good",
  partly_withdrawn: "warn",
  not_withdrawable: "warn",
  failed: "bad",
  gone: "idle",
  released: "idle",
};

export function revocationsPath(environment: string): string {
  return `${homeOf(environment)}/revocations`;
}

export function revocationPage(environment: string, id: string): Target {
  return { to: `${revocationsPath(environment)}/${encodeURIComponent(id)}` };
}

/** What is meant, in one line. */
export function matchOf({ match }: Pick<Revocation, "match">, texts: RevocationTexts): string {
  const { tags = {}, from, to, ...rest } = match;
  const parts = [
    ...Object.values(rest),
    from === undefined ? undefined : texts.since(formatDay(from)),
    to === undefined ? undefined : texts.before(formatDay(to)),
    ...Object.entries(tags).map(([name, value]) => `${name}=${value}`),
  ];
  return plainText(parts.filter((part) => part !== undefined).join(" · "), 200);
}

/** How many nobody has taken back. */
export function notWithdrawn({ counts }: Pick<Revocation, "counts">): number {
  return counts.failed + counts.not_withdrawable + counts.partly_withdrawn;
}
