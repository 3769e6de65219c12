import { hasScope, type Scope, scopes } from "@jackfield/contract/scopes";

/** What keys are made for, and what each may then do; as docs/api-keys.md has them. */
const environmentProfiles = {
  everything: ["environment:*"],
  sessions: ["environment:connect_sessions:write"],
  backend: [
    "environment:connections:read",
    "environment:records:read",
    "environment:actions:execute",
    "environment:syncs:execute",
    "environment:proxy",
  ],
  deploy: ["environment:deploy"],
  tryOut: [
    "environment:functions:dryrun",
    "environment:connections:read",
    "environment:integrations:read",
    "environment:proxy",
  ],
  support: [
    "environment:connections:list",
    "environment:connections:read",
    "environment:syncs:read",
    "environment:logs:read",
  ],
} as const satisfies Readonly<Record<string, readonly (Scope | "environment:*")[]>>;

const accountProfiles = {
  everything: ["account:*"],
  environments: ["account:environments:list", "account:environments:create"],
} as const satisfies Readonly<Record<string, readonly (Scope | "account:*")[]>>;

export type ProfileName =
  | keyof typeof environmentProfiles
  | keyof typeof accountProfiles
  | "custom";

export interface Profile {
  readonly name: ProfileName;
  readonly scopes: readonly string[];
}

export function profilesOf(isAccount: boolean): readonly Profile[] {
  const profiles = Object.entries(isAccount ? accountProfiles : environmentProfiles);
  return profiles.map(([name, held]) => ({ name: name as ProfileName, scopes: held }));
}

/** The profile that is just these scopes. */
export function profileOf(isAccount: boolean, held: readonly string[]): ProfileName {
  const same = profilesOf(isAccount).find(
    (profile) =>
      profile.scopes.length === held.length &&
      profile.scopes.every((scope) => held.includes(scope)),
  );
  return same?.name ?? "custom";
}

export interface ScopeGroup {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** All scopes of a kind of key, those of one subject together. */
export function scopeGroups(isAccount: boolean): readonly ScopeGroup[] {
  const prefix = isAccount ? "account:" : "environment:";
  const groups = new Map<string, Scope[]>();
  for (const scope of scopes) {
    if (!scope.startsWith(prefix)) continue;
    const [name = ""] = shortNameOf(scope).split(":");
    groups.set(name, [...(groups.get(name) ?? []), scope]);
  }
  return [...groups].map(([name, held]) => ({ name, scopes: held }));
}

/** A scope without the part that all of its kind begin with. */
export function shortNameOf(scope: string): string {
  return scope.replace(/^(?:environment|account):/, "");
}

/** Scopes one by one, in place of `prefix:*`. */
export function expandScopes(held: readonly string[]): readonly string[] {
  return scopes.filter((scope) => hasScope(held, scope) && !isImplied(held, scope));
}

/** A `_credentials` scope covers its plain form; that is then not chosen by itself. */
function isImplied(held: readonly string[], scope: string): boolean {
  return !held.includes(scope) && held.includes(`${scope}_credentials`);
}
