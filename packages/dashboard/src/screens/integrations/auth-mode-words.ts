import type { Texts } from "../../texts/english.ts";

/** What people call an auth mode; one of a newer server by its raw name. */
export function nameOfMode(mode: string, texts: Texts["authModes"]): string {
  const names: Readonly<Record<string, string>> = texts;
  return names[mode] ?? mode;
}
