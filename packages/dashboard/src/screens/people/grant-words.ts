import type { Me } from "../../data/me.ts";
import type { Grant } from "../../data/people/people.ts";
import type { Texts } from "../../texts/english.ts";

/** Where a right holds, as one word of a choice: an environment by its id, or a kind of them. */
export function placeOf({ environments, environment_id: id }: Grant): string {
  return environments === "one" ? (id ?? "") : environments;
}

/** A right as people read it: `support · prod`. */
export function describeGrant(grant: Grant, me: Me, texts: Texts["people"]): string {
  const place = placeOf(grant);
  const names: Readonly<Record<string, string>> = {
    all: texts.everywhere,
    "non-production": texts.nonProduction,
  };
  const where = names[place] ?? me.environments.find(({ id }) => id === place)?.name ?? place;
  return `${texts.roleNames[grant.role]} · ${where}`;
}

export function withPlace(grant: Grant, place: string): Grant {
  const { role, runs_code: runsCode } = grant;
  const isAll = place === "all" || place === "non-production";
  return {
    role,
    ...(isAll ? { environments: place } : { environments: "one", environment_id: place }),
    ...(runsCode === undefined ? {} : { runs_code: runsCode }),
  };
}

/** Owners and admins have all environments; only a developer's right to run code is given by name. */
export function withRole(grant: Grant, role: Grant["role"]): Grant {
  if (role === "owner" || role === "admin") return { role, environments: "all" };
  const { runs_code: runsCode, ...rest } = grant;
  return role === "developer" && runsCode === true
    ? { ...rest, role, runs_code: true }
    : { ...rest, role };
}
