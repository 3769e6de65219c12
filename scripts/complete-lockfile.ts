// `npm run lockfile`: adds to package-lock.json the optional packages of other platforms, which npm leaves
// out when it could not fetch them (https://github.com/npm/cli/issues/4828) and without which `npm ci` refuses to install.
import { readFile, writeFile } from "node:fs/promises";
import { findMissingOptionals, type Lockfile } from "./checks/lockfile.ts";

const systems = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const processors: Readonly<Record<string, string>> = {
  arm64: "arm64",
  x64: "x64",
  ia32: "ia32",
  arm: "arm",
  ppc64: "ppc64",
  riscv64: "riscv64",
  loong64: "loong64",
  mips64el: "mips64el",
  s390x: "s390x",
  wasm32: "wasm32",
};

const path = new URL("../package-lock.json", import.meta.url);
const lockfile: Lockfile = JSON.parse(await readFile(path, "utf8"));
for (const { name, version, isDev } of findMissingOptionals(lockfile)) {
  lockfile.packages[`node_modules/${name}`] = {
    version,
    ...platformOf(name),
    ...(isDev ? { dev: true } : {}),
    optional: true,
  };
}
const { "": root, ...packages } = lockfile.packages;
const sorted = Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1));
const complete = { ...lockfile, packages: { "": root, ...Object.fromEntries(sorted) } };
await writeFile(path, `${JSON.stringify(complete, null, 2)}\n`);

/** Such packages say in their name where they run: `@scope/tool-linux-arm64-musl`, `tool-windows-x64`. */
function platformOf(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } {
  const words = name.split(/[-/]/).map((word) => (word === "windows" ? "win32" : word));
  const os = systems.filter((system) => words.some((word) => word === system));
  const cpu = words.flatMap(
    (word) => processors[word.replace(/^(riscv64|ppc64|s390x|arm).*$/, matchArm)] ?? [],
  );
  const libc = words.flatMap((word) => {
    if (word.startsWith("musl")) return ["musl"];
    return word === "gnu" || word.startsWith("gnueabi") ? ["glibc"] : [];
  });
  return {
    ...(os.length === 0 ? {} : { os }),
    ...(cpu.length === 0 ? {} : { cpu }),
    ...(libc.length === 0 ? {} : { libc }),
  };
}

function matchArm(word: string): string {
  return word === "arm64" ? word : (/^(riscv64|ppc64|s390x|arm)/.exec(word)?.[1] ?? word);
}
