import { expect, test } from "vitest";
import { readConfig } from "#config";

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
  });
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
  const { warnings } = readConfig({ SVC_PROT: "1", SVC_SECRET_KEY_DEV: "x", PORT: "1" });

  expect(warnings).toEqual(["SVC_PROT is not a setting; the nearest is SVC_PORT"]);
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
