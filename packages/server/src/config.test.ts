import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FunctionLimit, functionLimits } from "@jackfield/contract/function-limits";
import { expect, test } from "vitest";
import { readConfig } from "#config";
import { tlsCertificates } from "#foundation/egress/testing";

test("has a default for everything", () => {
  const { config, problems, warnings } = readConfig({});

  expect(problems).toEqual([]);
  expect(warnings).toEqual([]);
  expect(config).toMatchObject({
    dataDir: ".jackfield",
    host: "127.0.0.1",
    port: 3003,
    roles: ["api", "worker"],
    egressAllow: [],
    bodyLimitBytes: 75 * 1024 * 1024,
    proxyReplayLimitBytes: 1024 * 1024,
    functionHeapMb: 256,
    metadataLimitBytes: 64 * 1024,
    actionValueLimitBytes: 10 * 1024 * 1024,
    functionTimeouts: {
      action: 15 * 60_000,
      sync: 24 * 3_600_000,
      webhook: 3_600_000,
      "on-event": 5 * 60_000,
    },
  });
});

test("every limit of functions that says so has its setting", () => {
  const settings = new Set(
    Object.values<FunctionLimit>(functionLimits).flatMap(({ setting }) => setting ?? []),
  );
  const given = Object.fromEntries([...settings].map((name) => [name, "64"]));

  expect(readConfig(given).warnings).toEqual([]);
  expect(readConfig(given).problems).toEqual([]);
});

test("tells of every problem at once, without the values of secrets", () => {
  const { config, problems } = readConfig({
    SVC_PORT: "99999",
    SVC_ENCRYPTION_KEY: "short-secret",
    SVC_DATABASE_URL: "mysql://secret@x",
    SVC_ROLES: "api,cook",
    SVC_EGRESS_ALLOW: "10.0.0.0/8,999.1.1.1",
  });

  expect(config).toBeUndefined();
  expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
    "SVC_DATABASE_URL",
    "SVC_ENCRYPTION_KEY",
    "SVC_PORT",
    "SVC_ROLES",
    "SVC_EGRESS_ALLOW",
  ]);
  expect(problems.join()).not.toContain("secret@");
  expect(problems.join()).not.toContain("short-secret");
});

test("warns of an unknown name with the nearest valid one", () => {
  const { warnings } = readConfig({
    SVC_PROT: "1",
    SVC_SECRET_KEY_DEV: "x",
    SVC_ACCOUNT_KEY: "x",
    PORT: "1",
  });

  expect(warnings).toEqual(["SVC_PROT is not a setting; the nearest is SVC_PORT"]);
});

test("says where the level of functions' logs is set", () => {
  const { warnings } = readConfig({ SVC_LOGGER_LEVEL: "debug" });

  expect(warnings).toEqual([
    expect.stringContaining("PUT /environment-variables/SVC_LOGGER_LEVEL"),
  ]);
});

test("reads limits in mebibytes and strips the slash of the public address", () => {
  const { config } = readConfig({ SVC_BODY_LIMIT: "10", SVC_SERVER_URL: "https://x.example/" });

  expect(config?.bodyLimitBytes).toBe(10 * 1024 * 1024);
  expect(config?.serverUrl).toBe("https://x.example");
});

test("secrets do not show in the config", () => {
  const key = Buffer.alloc(32, 7).toString("base64");

  const { config } = readConfig({ SVC_ENCRYPTION_KEY: key, SVC_BOOTSTRAP_KEY: "k" });

  expect(JSON.stringify(config)).not.toContain(key);
  expect(config?.encryptionKey?.reveal()).toBe(key);
});

test("takes certificates of authorities, one by one, and tells what is wrong with their file", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "config-"));
  const write = async (name: string, text: string) => {
    const path = join(folder.path, name);
    await writeFile(path, text);
    return path;
  };
  const { authority, server } = tlsCertificates;
  const bundle = await write("bundle", `# ours\n${authority}\n${server.cert}`);
  const damaged = await write("damaged", authority + server.cert.replaceAll(/^MI.*$/gm, "MIIB"));
  const read = (path: string) => readConfig({ SVC_EGRESS_CA_FILE: path });

  expect(read(bundle).config?.egressAuthorities.map((pem) => `${pem}\n`)).toEqual([
    authority,
    server.cert,
  ]);
  expect(read(damaged).problems.join()).toContain("certificate number 2 is damaged");
  expect(read(await write("empty", "")).problems.join()).toContain("holds no certificate");
  expect(read(join(folder.path, "none")).problems).toEqual([
    expect.stringMatching(/^SVC_EGRESS_CA_FILE names a file that cannot be read: ENOENT/),
  ]);
});

test.each([
  ["0.5", 0.5],
  [".25", 0.25],
  ["1", 1],
  ["1.0", 1],
  ["0", undefined],
  ["1.5", undefined],
  ["80%", undefined],
])("a share of %s for each environment is %s", (text, share) => {
  const { config, problems } = readConfig({ SVC_ENVIRONMENT_SHARE: text });

  expect(config?.environmentShare).toBe(share);
  expect(problems).toHaveLength(share === undefined ? 1 : 0);
});

test.each([
  [{}, "proxy.example.com", undefined],
  [{ SVC_SERVER_URL: "https://app.example.com/jackfield" }, "Proxy.example.com", undefined],
  [{ SVC_SERVER_URL: "https://app.example.com/jackfield" }, "app.example.com", "our own pages"],
  [{ SVC_CONNECT_URL: "https://connect.example.com" }, "connect.example.com", "our own pages"],
  [{ SVC_DASHBOARD_URL: "https://in.example.com/dashboard" }, "in.example.com", "our own pages"],
  [{}, "localhost", "our own pages"],
  [{}, "127.0.0.1", "our own pages"],
  [{}, "https://proxy.example.com", "is not the name of a host"],
  [{}, "proxy.example.com:8443", "is not the name of a host"],
])("with %j, the host of providers may be %s, or not: %s", (given, name, problem) => {
  const { config, problems } = readConfig({ ...given, SVC_PROXY_HOST: name });

  expect(problems).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)]);
  expect(config?.proxyHost).toBe(problem === undefined ? "proxy.example.com" : undefined);
});

test("SQL access needs plain records and a database of the operator's, and hands out neither user nor password", () => {
  const on = { SVC_SQL_ACCESS: "on" };
  const own = {
    SVC_RECORD_STORAGE: "plain",
    SVC_DATABASE_URL: "postgres://jackfield:secret@db.example.com/app?sslmode=verify-full",
  };

  const sealed = readConfig({ ...on, ...own, SVC_RECORD_STORAGE: "sealed" });
  const embedded = readConfig({ ...on, SVC_RECORD_STORAGE: "plain" });
  const withUser = readConfig({ ...on, ...own, SVC_SQL_ACCESS_URL: "postgres://u:p@replica/app" });
  const direct = readConfig({ ...on, ...own });
  const url = "postgres://replica.example.com:6432/app?sslmode=require";
  const replica = readConfig({ ...on, ...own, SVC_SQL_ACCESS_URL: url });

  expect(sealed.problems).toEqual([
    "SVC_SQL_ACCESS needs SVC_RECORD_STORAGE=plain: SQL cannot read encrypted records",
  ]);
  expect(embedded.problems[0]).toContain("SVC_SQL_ACCESS needs SVC_DATABASE_URL");
  expect(withUser.problems[0]).toContain("SVC_SQL_ACCESS_URL has a user or a password");
  expect(direct.config?.sqlAccess).toEqual({ url: "postgres://db.example.com/app" });
  expect(replica.config?.sqlAccess).toEqual({ url });
  expect(readConfig(own).config?.sqlAccess).toBeUndefined();
});
