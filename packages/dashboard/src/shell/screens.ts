import type { Texts } from "../texts/english.ts";

type ScreenName = keyof Texts["shell"]["screens"];

/** A screen of an environment that the menu and the palette lead to. */
export interface MenuEntry {
  readonly name: ScreenName;
  /** Below the environment. */
  readonly path: string;
  readonly group: keyof Texts["shell"]["groups"] | "first";
  /** After `g`. */
  readonly key?: string;
  /** Scope without which the screen shows nothing. */
  readonly scope: string;
}

/** Screens that work, in the order of the menu. */
export const menuEntries: readonly MenuEntry[] = [
  {
    name: "connections",
    path: "connections",
    group: "first",
    key: "c",
    scope: "environment:connections:list",
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
    name: "syncs",
    path: "syncs",
    group: "build",
    key: "s",
    scope: "environment:syncs:read",
  },
  {
    name: "operations",
    path: "operations",
    group: "observe",
    key: "o",
    scope: "environment:logs:read",
  },
];
