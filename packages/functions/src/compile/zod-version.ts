import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { Diagnostic } from "./diagnostic.ts";

const { major, minor, patch } = z.core.version;

/** Of the zod that the processes of functions have. */
export const hostZodVersion = `${major}.${minor}.${patch}`;

/** Version of the zod that a file belongs to, or a project has; undefined where there is none. */
export function findZodVersion(file: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const version = readZodManifest(join(folder, "package.json"));
    if (version !== undefined) return version;
  }
  return undefined;
}

/** Whether code that was written for a version runs with the host's: later minor versions add to the API. */
export function isGivenByHost(version: string | undefined): boolean {
  const [ofMajor, ofMinor] = (version ?? "").split(".").map(Number);
  return ofMajor === major && ofMinor !== undefined && ofMinor <= minor;
}

/** What to know about a project's zod before its functions run; nothing when it is the host's. */
export function explainZod(root: string): Diagnostic | undefined {
  const version = findProjectZod(root);
  if (version === undefined || version === hostZodVersion) return undefined;
  const installed = `zod ${version} is installed, functions run with ${hostZodVersion}`;
  if (!version.startsWith(`${major}.`)) {
    return {
      message: `zod ${version} is installed: schemas need zod ${major}, npm install --save-dev zod@^${major}`,
    };
  }
  if (isGivenByHost(version)) return { message: `${installed}: they may differ in details` };
  return { message: `${installed}, which is older: a copy of yours is put into each bundle` };
}

function findProjectZod(root: string): string | undefined {
  try {
    return findZodVersion(createRequire(join(root, "package.json")).resolve("zod/package.json"));
  } catch {
    return undefined;
  }
}

function readZodManifest(path: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    const parsed = z.object({ name: z.literal("zod"), version: z.string() }).safeParse(manifest);
    return parsed.data?.version;
  } catch {
    return undefined;
  }
}
