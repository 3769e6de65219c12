import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, extname, isAbsolute, relative, resolve } from "node:path";
import { copyTree, isJsonObject, type JsonObject, parseText } from "@jackfield/functions/openapi";
import { UserError } from "../../user-error.ts";
import { DOCUMENT_BYTES, tooLarge } from "./fetch-text.ts";

/** Where the files that a document refers to stand in it. */
const FILES = "x-jackfield-files";
const MOST_FILES = 1000;
const extensions: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);

/** A local document, with the files of its own folder that it refers to; other references stay as they are. */
export async function bundleFiles(path: string): Promise<unknown> {
  const root = await realpath(path);
  const bundle: Bundle = { root, paths: [root], bytesLeft: DOCUMENT_BYTES };
  const document = await readPart(bundle, root);
  const parts: Record<string, unknown> = {};
  for (let index = 1; index < bundle.paths.length; index += 1) {
    parts[index] = await readPart(bundle, bundle.paths[index] ?? "");
  }
  return isJsonObject(document) && bundle.paths.length > 1
    ? ({ ...document, [FILES]: parts } satisfies JsonObject)
    : document;
}

interface Bundle {
  readonly root: string;
  /** The document, then each file at its place in the bundle. */
  readonly paths: string[];
  bytesLeft: number;
}

async function readPart(bundle: Bundle, path: string): Promise<unknown> {
  const name = relative(process.cwd(), path);
  bundle.bytesLeft -= (await stat(path)).size;
  if (bundle.bytesLeft < 0) throw tooLarge(`${name}, with what it refers to,`);
  const parsed = await parseText(await readFile(path, "utf8"), name);
  const references = new Map<string, string>();
  copyTree(parsed, (reference) => {
    references.set(reference, reference);
    return reference;
  });
  for (const reference of references.keys()) {
    references.set(reference, await toOwn(bundle, path, reference));
  }
  return copyTree(parsed, (reference) => references.get(reference) ?? reference);
}

/** A reference as it is in the bundle. */
async function toOwn(bundle: Bundle, from: string, reference: string): Promise<string> {
  const [file = "", pointer = ""] = reference.split("#");
  const path = file === "" ? from : await findFile(bundle, resolve(dirname(from), decode(file)));
  if (path === undefined) return reference;
  if (path === bundle.root) return `#${pointer}`;
  return `#/${FILES}/${indexOf(bundle, path)}${pointer === "/" ? "" : pointer}`;
}

/** The file, where it is one of the document's folder; links that lead out of it do not count. */
async function findFile({ root }: Bundle, path: string): Promise<string | undefined> {
  if (!extensions.has(extname(path).toLowerCase())) return undefined;
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return undefined;
  const place = relative(dirname(root), real);
  return place.startsWith("..") || isAbsolute(place) ? undefined : real;
}

function indexOf({ paths }: Bundle, path: string): number {
  const index = paths.indexOf(path);
  if (index !== -1) return index;
  if (paths.length > MOST_FILES) {
    throw new UserError(`The document refers to more than ${MOST_FILES} files.`);
  }
  return paths.push(path) - 1;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
