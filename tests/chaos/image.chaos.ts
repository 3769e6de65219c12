import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { LIMIT_BYTES, openImageStore } from "../packaging/container.ts";

const IMAGE = "localhost/jackfield-under-test";

test("the same commit and packages give the same layers", async (t) => {
  await using store = await openImageStore(t);
  const { build, podman } = store;
  const layersOf = async (name: string) =>
    await podman("image", "inspect", "--format", "{{json .RootFS.Layers}}", name);

  await build(IMAGE);
  await build(`${IMAGE}-again`, { base: "localhost/jackfield-base:bookworm" });

  expect(await layersOf(`${IMAGE}-again`)).toBe(await layersOf(IMAGE));
});

test("the same file makes an image for arm64, whose programs run on one", async (t) => {
  if (!existsSync("/proc/sys/fs/binfmt_misc/qemu-aarch64")) {
    t.skip("not run: the kernel does not run programs of arm64 (qemu-user-static, binfmt_misc)");
  }
  await using other = await openImageStore(t);
  const name = `${IMAGE}-arm64`;
  await other.build(name, { processor: "arm64" });

  const facts = await other.podman(
    "image",
    "inspect",
    "--format",
    "{{.Architecture}} {{.Size}}",
    name,
  );
  const [architecture, bytes] = facts.split(" ");
  const started = other.run([
    ...["--arch", "arm64", "--network", "host", "--no-healthcheck"],
    ...["--ulimit", "nofile=1024:4096", "--ulimit", "nproc=2048:2048"],
    ...["--entrypoint", "node", name, "--print", "process.arch"],
  ]);
  const code = await started.exited;

  expect(architecture).toBe("arm64");
  expect(Number(bytes)).toBeLessThan(LIMIT_BYTES);
  expect([code, started.output().trim()]).toEqual([0, "arm64"]);
});
