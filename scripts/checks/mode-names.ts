import type { Tree } from "./tree.ts";

/** The registry whose keys are the names of all auth modes. */
const registry = "packages/catalogue/src/schema.ts";

/** Where a mode is described; docs/auth-modes.md lists these places for who adds one. */
const homes: readonly RegExp[] = [
  /^packages\/catalogue\/src\/schema\.ts$/,
  /^packages\/catalogue\/src\/modes\//,
  /^packages\/server\/src\/auth-modes\/modes\//,
  // The page of each provider says how its mode is used.
  /^packages\/docs-site\/src\/pages\//,
  // The wire: what an import, a connect form and an integration send for it.
  /^packages\/contract\/src\/(connect\/(authorization|credential-forms)|connections\/flat-import)\.ts$/,
  /^packages\/contract\/src\/(connections|integrations)\/(connection|imported|integration)-credentials\.ts$/,
  /^packages\/frontend\/src\/credentials\.ts$/,
  /^packages\/dashboard\/src\/data\/(integration-client|environment\/import-fields|custom-providers\/entry-modes)\.ts$/,
  /^packages\/dashboard\/src\/texts\/integrations\/auth-modes\.ts$/,
  // Generated from these.
  /^packages\/(frontend|functions|node)\/src\/api-types(\.ts$|\/)/,
];

/** These name the `type` of stored credentials, which modes share, and no mode. */
const credentialTypes: readonly RegExp[] = [
  /^packages\/server\/src\/auth-modes\/obtain\/(code-flow|installation-token)\.ts$/,
  /^packages\/functions\/src\/runtime\/connection-reader\.ts$/,
];

/** Callers of the API, as customers are: they connect to providers of a known mode. */
const callers: readonly RegExp[] = [
  /\.test\.tsx?$/,
  /\/testing\//,
  /^packages\/simulator\//,
  /^packages\/cli\//,
];

/** Code that tells auth modes apart outside of their own files (docs/auth-modes.md). */
export function findStrayModeNames(tree: Tree): string[] {
  const names = [...(tree.get(registry) ?? "").matchAll(/^ {2}([A-Z][A-Z0-9_]*): \w+Rules,$/gm)];
  if (names.length === 0) return [`${registry}: the registry of auth modes was not found`];
  const any = names.map(([, name]) => name).join("|");
  // As a text or as a key; `typ: "JWT"` is a header of RFC 7519.
  const use = new RegExp(`(?<!\\btyp: )["'\`](${any})["'\`]|^[ \\t]*(${any}):`, "m");
  const excused = [...homes, ...credentialTypes, ...callers];
  return [...tree]
    .filter(([path]) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path))
    .filter(([path]) => !excused.some((form) => form.test(path)))
    .flatMap(([path, text]) => {
      const found = use.exec(text);
      const name = found?.[1] ?? found?.[2];
      if (name === undefined) return [];
      return [`${path}: names the auth mode ${name}; let its strategy decide (docs/auth-modes.md)`];
    });
}
