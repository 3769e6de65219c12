import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeDataFolder, spawnPlatform } from "@jackfield/simulator";
import { expect, inject, test } from "vitest";
import { ownSecretsIn } from "../canary/secrets-in.ts";
import { apiOf } from "./api.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

/** The packages as npm would publish them, unpacked beside the third-party ones of the checkout. */
async function packAll(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = await readdir(join(root, "packages"));
  const workspaces = names.flatMap((name) => ["-w", `packages/${name}`]);
  await run("npm", ["pack", "--silent", "--pack-destination", folder, ...workspaces], {
    cwd: root,
  });
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  expect(tarballs).toHaveLength(names.length);
  for (const tarball of tarballs) {
    const name = tarball.replace(/-\d.*$/, "").replace(/^jackfield-/, "@jackfield/");
    const target = join(folder, "node_modules", name);
    await mkdir(target, { recursive: true });
    await run("tar", ["-xzf", join(folder, tarball), "-C", target, "--strip-components=1"]);
    await searchPackage(name, target);
  }
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

test("the packed packages start the platform, and make, compile and deploy a project", async () => {
  const folder = join(root, ".cache", `packed-${randomUUID()}`);
  await using data = await makeDataFolder();
  try {
    await packAll(folder);
    const cli = join(folder, "node_modules", "jackfield", "bin", "jackfield.js");
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
    const [fine, wrong] = [
      await compile("await svc.log(1);"),
      await compile("svc.log(1); void 1;"),
    ];
    const exitCode = await platform.stop();

    expect(stdout).toMatch(/Deployed 2 functions/);
    expect(fine.status, JSON.stringify(fine.body)).toBe(200);
    expect(wrong.body.error).toMatchObject({ code: "compilation_error", errors: [{ line: 7 }] });
    expect(exitCode).toBe(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 240_000);
