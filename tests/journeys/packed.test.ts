import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeDataFolder, spawnPlatform } from "@jackfield/simulator";
import { expect, test } from "vitest";
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
  }
}

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
    const exitCode = await platform.stop();

    expect(stdout).toMatch(/Deployed 2 functions/);
    expect(exitCode).toBe(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
