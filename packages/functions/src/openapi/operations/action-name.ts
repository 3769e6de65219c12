import { createHash } from "node:crypto";
import type { Operation } from "./operation.ts";

/** Tools of language models have names of 64 characters, with the integration. */
const LONGEST = 60;
const HASH_DIGITS = 6;
/** Windows has no files of these names. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * `issues/list_for_repo` and `IssuesListForRepo` -> `issues-list-for-repo`. Without an id it is made of method and path.
 * What is taken gets digits that stay the same however many operations are chosen.
 */
export function toActionName(
  { id, method, path }: Pick<Operation, "id" | "method" | "path">,
  taken: ReadonlySet<string>,
): string {
  const plain = toWords(id ?? "") || toWords(`${method} ${path}`) || method;
  const isLong = plain.length > LONGEST;
  const name = devices.test(plain) ? `${plain}-action` : plain;
  if (!isLong && !taken.has(name)) return name;
  const hash = createHash("sha256").update(`${method} ${path}`).digest("hex");
  return `${name.slice(0, LONGEST - HASH_DIGITS - 1)}-${hash.slice(0, HASH_DIGITS)}`;
}

function toWords(text: string): string {
  return text
    .slice(0, 500)
    .normalize("NFKD")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, "-")
    .replaceAll(/^-+|(?<!-)-+$/g, "");
}
