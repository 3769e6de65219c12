import type { Tree } from "./tree.ts";

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optional?: boolean;
  readonly resolved?: string;
  readonly link?: boolean;
}

export interface Lockfile {
  readonly packages: Record<string, LockedPackage>;
}

interface MissingPackage {
  readonly name: string;
  readonly version: string;
  readonly isDev: boolean;
}

/** Optional dependencies that are named by a locked package and locked nowhere. */
export function findMissingOptionals({ packages }: Lockfile): MissingPackage[] {
  const missing = new Map<string, MissingPackage>();
  for (const [place, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const isLocked = [`${place}/node_modules/${name}`, `node_modules/${name}`].some(
        (path) => packages[path] !== undefined,
      );
      if (!isLocked) missing.set(name, { name, version, isDev: dev === true });
    }
  }
  return [...missing.values()];
}

/** `npm ci` refuses a lockfile without them, and one with addresses binds users to a registry. */
export function findLockfileProblems(tree: Tree): string[] {
  const text = tree.get("package-lock.json");
  if (text === undefined) return ["package-lock.json is missing"];
  const lockfile: Lockfile = JSON.parse(text);
  const missing = findMissingOptionals(lockfile).map(
    ({ name }) => `package-lock.json: lacks ${name}; run: npm run lockfile`,
  );
  const bound = Object.entries(lockfile.packages)
    .filter(([, { resolved }]) => /^https?:/.test(resolved ?? ""))
    .map(([path]) => `package-lock.json: ${path} names the address of a registry`);
  return [...missing, ...bound];
}
