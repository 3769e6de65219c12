import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, type TestContext, test } from "vitest";
import { createTestDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { findFreePort } from "../connect-ui/reverse-proxy.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import {
  type ImageStore,
  LIMIT_BYTES,
  openImageStore,
  waitUntilReady,
} from "../packaging/container.ts";

const IMAGE = "localhost/jackfield-under-test";
/** A busy machine takes minutes to make a base and the image on it. */
const TIMEOUT_MS = 10 * 60_000;

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

/** Built once; a test that finds its programs missing is skipped by name. */
async function openStore(t: TestContext): Promise<ImageStore> {
  if (store !== undefined) return store;
  store = cleanUp.use(await openImageStore(t));
  await store.build(IMAGE);
  return store;
}
afterAll(async () => await cleanUp.disposeAsync());

test("the image has less than 350 MB and is no root's", { timeout: TIMEOUT_MS }, async (t) => {
  const { podman } = await openStore(t);

  const facts = await podman("image", "inspect", "--format", "{{.Size}} {{.Config.User}}", IMAGE);
  const [size, user] = facts.split(" ");

  process.stdout.write(`image: ${Math.round(Number(size) / 1e6)} MB\n`);
  expect(user).toBe("10001:10001");
  expect(Number(size)).toBeLessThan(LIMIT_BYTES);
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

test.for(hosts)(
  "without rights and writable files it serves, $name",
  { timeout: TIMEOUT_MS },
  async (host, t) => {
    const { run, podman } = await openStore(t);
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createTestDatabase());
    const port = String(await findFreePort());
    const key = randomUUID();
    const name = `jackfield-${randomUUID()}`;
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
  },
);
