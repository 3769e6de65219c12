import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtempDisposable, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, type TestContext, test } from "vitest";
import { requireTool } from "../require-tool.ts";

const checkout = fileURLToPath(new URL("../../", import.meta.url));

const program = `
  import { createSandbox } from "/app/packages/server/src/foundation/sandbox/index.ts";
  const sandbox = await createSandbox({ dataDir: "/data", log() {} });
  console.log(JSON.stringify(sandbox.describe()));
  await sandbox[Symbol.asyncDispose]();`;

/** What Docker denies containers without CAP_SYS_ADMIN, which Podman does not. */
const dockers = {
  defaultAction: "SCMP_ACT_ALLOW",
  syscalls: [
    { names: ["unshare", "setns", "mount", "umount2", "pivot_root"], action: "SCMP_ACT_ERRNO" },
  ],
};

interface Reported {
  readonly level: string;
  readonly reason?: string;
}

/** The level that a server reaches in a container whose files are this machine's programs. */
async function describeIn(t: TestContext, options: readonly string[]): Promise<Reported> {
  if (process.getuid?.() !== 0) t.skip("not run: needs root");
  const podman = requireTool("podman", t);
  for (const tool of ["runc", "bwrap"] as const) requireTool(tool, t);
  await using folder = await mkdtempDisposable(join(tmpdir(), "jackfield-container-"));
  const at = (name: string) => join(folder.path, name);
  await chmod(folder.path, 0o755);
  for (const name of ["usr", "app", "tmp", "proc", "dev", "sys", "etc", "run", "var", "data"]) {
    await mkdir(at(`files/${name}`), { recursive: true });
  }
  await chmod(at("files/data"), 0o777);
  for (const name of ["bin", "sbin", "lib", "lib64"])
    await symlink(`usr/${name}`, at(`files/${name}`));
  for (const name of ["passwd", "group", "ld.so.cache"]) {
    await copyFile(`/etc/${name}`, at(`files/etc/${name}`));
  }
  await writeFile(at("files/start.ts"), program);
  await writeFile(at("dockers.json"), JSON.stringify(dockers));
  const node = join("/app", relative(checkout, process.execPath));
  const { stdout } = await promisify(execFile)(podman, [
    ...["--root", at("root"), "--runroot", at("run"), "--storage-driver", "vfs"],
    ...["--cgroup-manager", "cgroupfs", "--runtime", "runc", "run", "--rm", "--network", "host"],
    ...["--no-healthcheck", "--ulimit", "nofile=1024:4096", "--ulimit", "nproc=2048:2048"],
    ...["--volume", "/usr:/usr:ro", "--volume", `${checkout}:/app:ro`],
    ...options.map((option) => option.replace("DOCKERS", at("dockers.json"))),
    ...["--rootfs", at("files"), node, "--conditions=jackfield-source", "/start.ts"],
  ]);
  const reported: Reported = JSON.parse(stdout);
  return reported;
}

const ordinary = [
  ...["--user", "1000:1000", "--cap-drop", "all", "--security-opt", "no-new-privileges"],
];
const rights = (...names: readonly string[]) => names.flatMap((name) => ["--cap-add", name]);

test.for([
  ["an ordinary user, by Podman's own profile", ordinary, "sealed"],
  [
    "an ordinary user, without a profile",
    [...ordinary, "--security-opt", "seccomp=unconfined"],
    "sealed",
  ],
  [
    "an ordinary user, by Docker's profile",
    [...ordinary, "--security-opt", "seccomp=DOCKERS"],
    "permissions",
  ],
  ["root with two rights", rights("SYS_ADMIN", "NET_ADMIN"), "sealed"],
  ["root with one right", rights("SYS_ADMIN"), "private-root"],
  [
    "root as containers have it, by Docker's profile",
    ["--security-opt", "seccomp=DOCKERS"],
    "users",
  ],
] as const)("in a container, %s: functions are closed in as the page says", async (host, t) => {
  const [, options, level] = host;

  const reported = await describeIn(t, options);

  expect(reported).toMatchObject({ level });
  expect(reported.reason === undefined).toBe(level === "sealed");
});
