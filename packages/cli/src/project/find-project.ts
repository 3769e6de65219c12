import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../user-error.ts";

/** The function project at or above a folder: the nearest with an `index.ts` next to a `package.json`. */
export function findProject(start: string = process.cwd()): string {
  for (let folder = start; ; folder = dirname(folder)) {
    const names = ["index.ts", "package.json"];
    if (names.every((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) break;
  }
  throw new UserError(
    `${start} is not in a function project (a folder with package.json and index.ts): go to one, or make one with \`jackfield init my-functions\`.`,
  );
}
