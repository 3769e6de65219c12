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
  // The folder's own page says what the folder is; ours would only say what a function project is.
  const hasReadme = (await readdir(dir)).some((name) => /^readme(\.\w+)?$/i.test(name));
  const written = files.filter((file) => !(hasReadme && file === "README.md"));
  const existing = written.filter((file) => existsSync(join(dir, file)));
  if (existing.length > 0) {
    throw new UserError(
      `${dir} already has ${existing.join(", ")}: jackfield init overwrites nothing. Choose an empty folder.`,
    );
  }
  for (const [index, template] of templates.entries()) {
    const file = files[index] ?? template;
    if (!written.includes(file)) continue;
    const target = join(dir, file);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(templateDir, template), target, { errorOnExist: true, force: false });
  }
  const packages = linkedPackages();
  await adaptPackageJson(dir);
  if (runsFromSource) await adaptTsconfig(dir);
  await linkPackages(dir, packages);
  return written.toSorted();
}

async function listTemplateFiles(): Promise<string[]> {
  const entries = await readdir(templateDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(templateDir, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();
}

/** What a project needs, where this CLI has it: linked from there, nothing has to be installed on this machine. */
function linkedPackages(): ReadonlyMap<string, string> {
  const require = createRequire(import.meta.url);
  const find = (name: string): string => dirname(require.resolve(`${name}/package.json`));
  return new Map([
    ["@types/node", find("@types/node")],
    ["jackfield", ownPackage],
    ["zod", find("zod")],
  ]);
}

/** Names the project, and the versions to install elsewhere: the links are no part of what is committed. */
async function adaptPackageJson(dir: string): Promise<void> {
  const path = join(dir, "package.json");
  const manifest: unknown = JSON.parse(await readFile(path, "utf8"));
  const { version } = JSON.parse(await readFile(join(ownPackage, "package.json"), "utf8"));
  const name = basename(dir)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|(?<!-)-+$/g, "");
  const { devDependencies } = Object(manifest);
  const adapted = {
    ...Object(manifest),
    ...(name !== "" && { name }),
    devDependencies: { ...devDependencies, jackfield: version },
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

/** Links what `npm install` would bring, so that it is not needed where this CLI is installed. */
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
