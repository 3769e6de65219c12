import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, type TestContext, test } from "vitest";
import { createTestDatabase } from "../../packages/server/src/platform/testing/index.ts";
import { findFreePort } from "../connect-ui/reverse-proxy.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { type ImageStore, openImageStore, waitUntilReady } from "../packaging/container.ts";

const LIMIT_BYTES = 350_000_000;
const IMAGE = "localhost/jackfield-under-test";

/** Every restriction that docs/production.md names; and what a machine without bridges and systemd needs. */
const restricted = [
  ...["--read-only", "--tmpfs", "/tmp", "--cap-drop", "all"],
  ...["--security-opt", "no-new-privileges", "--ulimit", "nofile=1024:4096"],
  ...["--network", "host", "--no-healthcheck", "--ulimit", "nproc=2048:2048"],
];

const any = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };`;
const action = `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => ({ hello: input }) };`;

async function callFunction(api: Api): Promise<unknown> {
  const place = { provider_config_key: "crm", connection_id: "customer-1" };
  await api("POST", "/integrations", { body: { provider: "unauthenticated", unique_key: "crm" } });
  await api("POST", "/connections", { body: { ...place, credentials: { type: "NONE" } } });
  const flow = { providerConfigKey: "crm", version: "1", type: "action", syncName: "greet" };
  const body = {
    reconcile: true,
    flowConfigs: [{ ...flow, models: [], runs: null, fileBody: { js: action, ts: "" } }],
  };
  expect(await api("POST", "/sync/deploy", { body })).toMatchObject({ status: 200 });
  const called = await api("POST", "/action/trigger", {
    headers: { "connection-id": "customer-1", "provider-config-key": "crm" },
    body: { action_name: "greet", input: "Ada" },
  });
  return called.body;
}

/** The server of the tests may listen on a socket of the file system, which a container does not see. */
async function offerByPort(stack: AsyncDisposableStack, databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get("host");
  if (folder === null) return databaseUrl;
  const path = `${folder}/.s.PGSQL.${url.port || "5432"}`;
  const server = createServer((socket) => {
    const database = connect(path);
    socket.pipe(database).pipe(socket);
    for (const end of [socket, database]) end.on("error", () => socket.destroy());
    socket.on("close", () => database.destroy());
  });
  const port = await findFreePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  stack.defer(() => void server.close());
  return `postgres://${url.username}:${url.password}@127.0.0.1:${port}${url.pathname}`;
}

const cleanUp = new AsyncDisposableStack();
let store: ImageStore | undefined;
let size = 0;

/** Built once; a test that finds its programs missing is skipped by name. */
async function openStore(t: TestContext): Promise<ImageStore> {
  if (store !== undefined) return store;
  store = cleanUp.use(await openImageStore(t));
  await store.build(IMAGE);
  size = Number(await store.podman("image", "inspect", "--format", "{{.Size}}", IMAGE));
  return store;
}
afterAll(async () => await cleanUp.disposeAsync());

test("the same commit and packages give the same layers, of less than 350 MB in all", async (t) => {
  const { build, podman } = await openStore(t);

  const layersOf = async (name: string) =>
    await podman("image", "inspect", "--format", "{{json .RootFS.Layers}}", name);
  await build(`${IMAGE}-again`, { base: "localhost/jackfield-base:bookworm" });
  const [first, again] = [await layersOf(IMAGE), await layersOf(`${IMAGE}-again`)];
  const user = await podman("image", "inspect", "--format", "{{.Config.User}}", IMAGE);

  process.stdout.write(`image: ${Math.round(size / 1e6)} MB\n`);
  expect(again).toBe(first);
  expect(user).toBe("10001:10001");
  expect(size).toBeLessThan(LIMIT_BYTES);
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
    ...["--arch", "arm64", "--network", "host", "--no-healthcheck", "--ulimit", "nofile=1024:4096"],
    ...["--entrypoint", "node", name, "--print", "process.arch"],
  ]);
  const code = await started.exited;

  expect(architecture).toBe("arm64");
  expect(Number(bytes)).toBeLessThan(LIMIT_BYTES);
  expect([code, started.output().trim()]).toEqual([0, "arm64"]);
});

const hosts = [
  {
    name: "where it may make namespaces",
    deniesNamespaces: false,
    level: "sealed",
  },
  { name: "where it may not", deniesNamespaces: true, level: "permissions" },
];

/** What Docker denies containers without CAP_SYS_ADMIN, which Podman does not. */
const withoutNamespaces = {
  defaultAction: "SCMP_ACT_ALLOW",
  syscalls: [
    { names: ["unshare", "setns", "mount", "umount2", "pivot_root"], action: "SCMP_ACT_ERRNO" },
  ],
};

async function toOptions(stack: AsyncDisposableStack, deniesNamespaces: boolean) {
  if (!deniesNamespaces) return restricted;
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "jackfield-seccomp-")));
  const file = join(folder.path, "seccomp.json");
  await writeFile(file, JSON.stringify(withoutNamespaces));
  return [...restricted, "--security-opt", `seccomp=${file}`];
}

test.for(hosts)("without rights and writable files it serves, $name", async (host, t) => {
  const { run, podman } = await openStore(t);
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const port = String(await findFreePort());
  const key = randomUUID();
  const name = `jackfield-${key}`;
  const env = {
    SVC_DATABASE_URL: await offerByPort(stack, database.connectionString),
    SVC_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SVC_BOOTSTRAP_KEY: key,
    SVC_HOST: "127.0.0.1",
    SVC_PORT: port,
  };
  const settings = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);

  const options = await toOptions(stack, host.deniesNamespaces);

  if (host.deniesNamespaces) {
    const strict = run([...options, ...settings, "--env", "SVC_FUNCTION_SANDBOX=strict", IMAGE]);
    expect(await strict.exited).toBe(1);
    expect(strict.output()).toContain("strict");
  }
  const container = run([...options, "--name", name, ...settings, IMAGE]);
  const url = await waitUntilReady(container);
  const ready = await fetch(`${url}/ready`);
  const called = await callFunction(apiOf(url, key));
  const user = await podman("exec", name, "id", "--user");
  const written = await podman("exec", name, "touch", "/opt/jackfield/x").catch(String);
  const rights = await podman("exec", name, "grep", "CapEff", "/proc/self/status");
  await podman("exec", name, "node", "/opt/jackfield/check-health.mjs");
  await podman("stop", "--time", "30", name);
  const exitCode = await container.exited;

  expect(ready.status).toBe(200);
  expect(called).toEqual({ hello: "Ada" });
  expect(user).toBe("10001");
  expect(written).toContain("Read-only file system");
  expect(rights).toMatch(/CapEff:\s+0{16}$/);
  expect(container.output()).toMatch(new RegExp(`"isolation":"${host.level}"`));
  expect(exitCode).toBe(0);
});
