import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../user-error.ts";

const ownPackage = dirname(fileURLToPath(new URL("../../package.json", import.meta.url)));
const templateDir = join(ownPackage, "template");
const runsFromSource = import.meta.url.endsWith(".ts");

// npm leaves files of these names out of packages, so the template has them under others.
const renamed: Readonly<Record<string, string>> = {
  gitignore: ".gitignore",
  "env.example": ".env.example",
};

/** Writes a new function project and returns its files; throws a UserError, and writes nothing, when one of its files exists. */
export async function createProject(path: string): Promise<string[]> {
  await mkdir(path, { recursive: true });
  const dir = await realpath(path); // links relative to it must hold
  const templates = await listTemplateFiles();
  const files = templates.map((file) => renamed[file] ?? file);
  const existing = files.filter((file) => existsSync(join(dir, file)));
  if (existing.length > 0) {
    throw new UserError(
      `${dir} already has ${existing.join(", ")}: jackfield init overwrites nothing. Choose an empty folder.`,
    );
  }
  for (const [index, template] of templates.entries()) {
    const target = join(dir, files[index] ?? template);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(templateDir, template), target, { errorOnExist: true, force: false });
  }
  const packages = linkedPackages();
  await adaptPackageJson(dir, packages);
  if (runsFromSource) await adaptTsconfig(dir);
  await linkPackages(dir, packages);
  return files.toSorted();
}

async function listTemplateFiles(): Promise<string[]> {
  const entries = await readdir(templateDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(templateDir, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();
}

/** What a project needs, from where this CLI is installed: none of it has to come from a registry. */
function linkedPackages(): ReadonlyMap<string, string> {
  const require = createRequire(import.meta.url);
  const find = (name: string): string => dirname(require.resolve(`${name}/package.json`));
  return new Map([
    ["@types/node", find("@types/node")],
    ["jackfield", ownPackage],
    ["zod", find("zod")],
  ]);
}

async function adaptPackageJson(dir: string, packages: ReadonlyMap<string, string>): Promise<void> {
  const path = join(dir, "package.json");
  const manifest: unknown = JSON.parse(await readFile(path, "utf8"));
  const name = basename(dir)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|(?<!-)-+$/g, "");
  const adapted = {
    ...Object(manifest),
    ...(name !== "" && { name }),
    devDependencies: Object.fromEntries(
      [...packages].map(([dependency, target]) => [dependency, `file:${pathFrom(dir, target)}`]),
    ),
  };
  await writeFile(path, `${JSON.stringify(adapted, undefined, 2)}\n`);
}

/** In the checkout `jackfield` is its sources, which the condition `jackfield-source` finds. */
async function adaptTsconfig(dir: string): Promise<void> {
  const path = join(dir, "tsconfig.json");
  const text = await readFile(path, "utf8");
  const last = /^( *)"noEmit": true$/m;
  await writeFile(path, text.replace(last, '$&,\n$1"customConditions": ["jackfield-source"]'));
}

/** Makes the links that `npm install` would make of the `file:` dependencies, so that it is not needed. */
async function linkPackages(dir: string, packages: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, target] of packages) {
    await linkUnlessThere(join(dir, "node_modules", name), target, "junction");
  }
  if (process.platform === "win32") return; // there a command is a script that npm writes
  const command = join(dir, "node_modules", ".bin", "jackfield");
  await linkUnlessThere(command, join(ownPackage, "bin", "jackfield.js"), "file");
}

async function linkUnlessThere(
  link: string,
  target: string,
  type: "junction" | "file",
): Promise<void> {
  if (existsSync(link)) return;
  await mkdir(dirname(link), { recursive: true });
  // A junction must be absolute; elsewhere a relative link survives a move of both.
  const place = process.platform === "win32" ? target : pathFrom(dirname(link), target);
  await symlink(place, link, type);
}

function pathFrom(dir: string, target: string): string {
  return relative(dir, target).split(sep).join("/");
}
