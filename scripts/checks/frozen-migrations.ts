import { checksumOf } from "../../packages/server/src/foundation/db/migrations/migration-files.ts";
import type { Tree } from "./tree.ts";

const FOLDER = "packages/server/migrations/";
const LIST = `${FOLDER}checksums.json`;

/** A migration that databases already have never runs again: what changes in it reaches none of them. */
export function findChangedMigrations(tree: Tree): string[] {
  const listed: Record<string, string> = JSON.parse(tree.get(LIST) ?? "{}");
  const changed = Object.entries(listed)
    .filter(([name, checksum]) => checksumOf(tree.get(FOLDER + name) ?? "") !== checksum)
    .map(([name]) => `${FOLDER}${name}: was changed after it landed; write a new migration`);
  const unlisted = [...tree.keys()]
    .filter((path) => path.startsWith(FOLDER) && path.endsWith(".sql"))
    .map((path) => path.slice(FOLDER.length))
    .filter((name) => listed[name] === undefined)
    .map((name) => `${LIST}: lacks ${name}; run: npm run generate`);
  return [...changed, ...unlisted];
}
