import type { Tree } from "./tree.ts";

interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optional?: boolean;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly hasInstallScript?: boolean;
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
  const unhashed = findUnhashed(lockfile).map(
    (path) => `package-lock.json: ${path} has no integrity; fetch it again: npm run lockfile`,
  );
  const warning = findEngines(lockfile).map(
    (path) => `package-lock.json: ${path} makes npm ci warn of its Node; run: npm run lockfile`,
  );
  return [...missing, ...bound, ...unhashed, ...warning];
}

/**
 * Packages of others that name the Node they need, which npm compares with its own. They run on the Node that the
 * install brings (`node-bin`), not on npm's; only scripts of an install run on npm's.
 */
export function findEngines({ packages }: Lockfile): string[] {
  return Object.entries(packages)
    .filter(([path, { engines, hasInstallScript }]) => {
      const isOurs = !path.includes("node_modules/");
      return !isOurs && hasInstallScript !== true && engines?.["node"] !== undefined;
    })
    .map(([path]) => path);
}

/** Packages that npm would install without comparing them with a hash. */
export function findUnhashed({ packages }: Lockfile): string[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && link !== true)
    .filter(([, { integrity = "" }]) => !/^sha512-[A-Za-z0-9+/]{86}==/.test(integrity))
    .map(([path]) => path);
}
