import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestContext } from "vitest";
import { requireTool } from "../require-tool.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Largest image, unpacked. */
export const LIMIT_BYTES = 350_000_000;

/** Images and containers of a test alone, which works without overlay mounts and cgroups. */
export interface ImageStore extends AsyncDisposable {
  /** Builds `deploy/Containerfile` on a base of Debian packages. */
  build(name: string, options?: BuildOptions): Promise<void>;
  podman(...args: readonly string[]): Promise<string>;
  /** Starts a container and reads what it prints. */
  run(args: readonly string[]): Container;
}

export interface BuildOptions {
  /** On that image. */
  readonly base?: string;
  /** For that processor. */
  readonly processor?: string;
}

export interface Container {
  /** All that it has printed. */
  readonly output: () => string;
  /** Resolves to the exit code. */
  readonly exited: Promise<number | null>;
}

export async function openImageStore(t: TestContext): Promise<ImageStore> {
  const [podman, buildah] = [requireTool("podman", t), requireTool("buildah", t)];
  for (const tool of ["mmdebstrap", "runc"] as const) requireTool(tool, t);
  const folder = await mkdtemp(join(tmpdir(), "jackfield-images-"));
  for (const name of ["root", "run"]) await mkdir(join(folder, name));
  const places = ["--root", join(folder, "root"), "--runroot", join(folder, "run")];
  const home = await makeHome(folder);
  const store = [...places, "--storage-driver", "vfs"];
  const engine = [...store, "--cgroup-manager", "cgroupfs", "--runtime", "runc"];
  // biome-ignore lint/style/noProcessEnv: as the test finds its programs
  const env = { ...process.env, HOME: home };
  const call = async (...args: readonly string[]) =>
    (await promisify(execFile)(podman, [...engine, ...args], { env })).stdout.trim();
  return {
    async build(name, { base, processor } = {}) {
      const settings = {
        BUILDAH: ["env", `HOME=${home}`, buildah, ...store].join(" "),
        SOURCE_DATE_EPOCH: "1800000000",
        ...(base && { BASE: base }),
      };
      const child = spawn(
        join(root, "deploy", "build-image.sh"),
        [name, ...(processor ? [processor] : [])],
        {
          cwd: root,
          // biome-ignore lint/style/noProcessEnv: a shell script, which finds its programs as the test does
          env: { ...process.env, ...settings },
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      const output = collect(child);
      const [code] = await once(child, "exit");
      if (code !== 0) throw new Error(`the image is not built: ${output()}`);
    },
    podman: call,
    run(args) {
      const child = spawn(podman, [...engine, "run", "--rm", ...args], {
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
      return { output: collect(child), exited };
    },
    async [Symbol.asyncDispose]() {
      await call("rm", "--all", "--force").catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** With rules of its own on whose images are taken: those of the machine may be missing. */
async function makeHome(folder: string): Promise<string> {
  const home = join(folder, "home");
  const rules = join(home, ".config", "containers");
  await mkdir(rules, { recursive: true });
  const policy = { default: [{ type: "insecureAcceptAnything" }] };
  await writeFile(join(rules, "policy.json"), JSON.stringify(policy));
  return home;
}

function collect(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return () => output;
}

/** The address under which a server says that it is ready. */
export async function waitUntilReady({ output, exited }: Container): Promise<string> {
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  for (let tries = 0; tries < 600 && !hasEnded; tries += 1) {
    const url = /ready at (\S+)/.exec(output())?.[1];
    if (url !== undefined) return url;
    await sleep(100);
  }
  throw new Error(`the server is not ready: ${output()}`);
}
