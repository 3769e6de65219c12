import { homeOf } from "../start/environment-address.ts";
import type { Texts } from "../texts/english.ts";

type ScreenName = keyof Texts["shell"]["screens"];

/** A screen of an environment that the menu and the palette lead to. */
export interface MenuEntry {
  readonly name: ScreenName;
  /** Below the environment. */
  readonly path: string;
  readonly group: keyof Texts["shell"]["groups"] | "first";
  /** It is about the account, and stands below no environment. */
  readonly isOfAccount?: true;
  /** After `g`. */
  readonly key?: string;
  /** Scope without which the screen shows nothing. */
  readonly scope: string;
}

/** Screens that work, in the order of the menu. */
export const menuEntries: readonly MenuEntry[] = [
  { name: "home", path: "", group: "first", key: "h", scope: "environment:logs:read" },
  {
    name: "problems",
    path: "problems",
    group: "first",
    key: "p",
    scope: "environment:problems:read",
  },
  {
    name: "connections",
    path: "connections",
    group: "first",
    key: "c",
    scope: "environment:connections:list",
  },
  {
    name: "connectLinks",
    path: "connect-links",
    group: "first",
    scope: "environment:connect_sessions:read",
  },
  {
    name: "integrations",
    path: "integrations",
    group: "first",
    key: "i",
    scope: "environment:integrations:list",
  },
  {
    name: "catalogue",
    path: "catalogue",
    group: "first",
    scope: "environment:providers:read",
  },
  {
    name: "functions",
    path: "functions",
    group: "build",
    key: "f",
    scope: "environment:functions:list",
  },
  {
    name: "syncs",
    path: "syncs",
    group: "build",
    key: "s",
    scope: "environment:syncs:read",
  },
  {
    name: "playground",
    path: "playground",
    group: "build",
    scope: "environment:functions:list",
  },
  {
    name: "deployments",
    path: "deployments",
    group: "build",
    key: "d",
    scope: "environment:functions:list",
  },
  {
    name: "records",
    path: "records",
    group: "build",
    key: "r",
    scope: "environment:records:read",
  },
  {
    name: "destinations",
    path: "destinations",
    group: "build",
    scope: "environment:destinations:read",
  },
  {
    name: "toolsets",
    path: "toolsets",
    group: "agents",
    key: "t",
    scope: "environment:agents:read",
  },
  {
    name: "agentSessions",
    path: "agent-sessions",
    group: "agents",
    scope: "environment:agents:read",
  },
  {
    name: "approvals",
    path: "approvals",
    group: "agents",
    key: "a",
    scope: "environment:agents:read",
  },
  {
    name: "agentCalls",
    path: "agent-calls",
    group: "agents",
    scope: "environment:agents:read",
  },
  {
    name: "operations",
    path: "operations",
    group: "observe",
    key: "o",
    scope: "environment:logs:read",
  },
  {
    name: "webhooksOut",
    path: "webhooks/out",
    group: "observe",
    key: "w",
    scope: "environment:webhooks:read",
  },
  {
    name: "webhooksIn",
    path: "webhooks/in",
    group: "observe",
    scope: "environment:webhooks:read",
  },
  {
    name: "revocations",
    path: "revocations",
    group: "observe",
    scope: "environment:revocations:read",
  },
  {
    name: "metrics",
    path: "metrics",
    group: "observe",
    key: "m",
    scope: "environment:logs:read",
  },
  {
    name: "rateLimits",
    path: "rate-limits",
    group: "observe",
    scope: "environment:connections:list",
  },
  {
    name: "keys",
    path: "keys",
    group: "setUp",
    key: "k",
    scope: "environment:api_keys:list",
  },
  {
    name: "settings",
    path: "settings",
    group: "setUp",
    key: "e",
    scope: "environment:settings:read",
  },
  {
    name: "environments",
    path: "environments",
    group: "account",
    isOfAccount: true,
    scope: "account:environments:list",
  },
  {
    name: "people",
    path: "people",
    group: "account",
    isOfAccount: true,
    scope: "account:users:list",
  },
  {
    name: "singleSignOn",
    path: "sso",
    group: "account",
    isOfAccount: true,
    scope: "account:sso:read",
  },
  {
    name: "audit",
    path: "audit",
    group: "account",
    isOfAccount: true,
    scope: "account:audit:read",
  },
  {
    name: "installation",
    path: "installation",
    group: "account",
    isOfAccount: true,
    scope: "account:installation:read",
  },
];

/** Address of a screen, in an environment where it stands below one. */
export function addressOfEntry({ path, isOfAccount }: MenuEntry, environment: string): string {
  if (isOfAccount === true) return `/${path}`;
  return path === "" ? homeOf(environment) : `${homeOf(environment)}/${path}`;
}

/** Pages that no entry leads to and that stand below no environment. */
const ownPages = ["", "profile", "o"];

/** The screen that an address leads to, or to something below. */
export function findEntry(address: string): MenuEntry | undefined {
  const [, first = "", ...rest] = address.split("/");
  const below = rest.join("/");
  if ((below === "" || first === "o") && ownPages.includes(first)) return undefined;
  return menuEntries
    .filter(({ path, isOfAccount }) => {
      if (isOfAccount === true) return path === first && below === "";
      const shown = below;
      return path === "" ? shown === "" : shown === path || shown.startsWith(`${path}/`);
    })
    .toSorted((one, other) => other.path.length - one.path.length)[0];
}
