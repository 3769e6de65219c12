import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { startOnClone } from "../../../../../tests/launcher/start-on-clone.ts";
import type { TestPlatform } from "../../test.ts";
import { type FakeCrm, startFakeCrm } from "../../testing/fake-crm.ts";
import { runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

let folder: TestFolder;
let crm: FakeCrm;
let platform: TestPlatform;

beforeAll(async () => {
  [folder, crm, platform] = await Promise.all([createTestFolder(), startFakeCrm(), startOnClone()]);
  const integration = await call(platform.keys.dev, "POST", "/integrations", {
    provider: "private-api-bearer",
    unique_key: "crm",
    integration_config: { base_url: crm.url },
  });
  const connection = await call(platform.keys.dev, "POST", "/connections", {
    provider_config_key: "crm",
    connection_id: "acme",
    credentials: { type: "API_KEY", apiKey: crm.token },
  });
  expect([integration.status, connection.status]).toEqual([200, 201]);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await crm[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function call(key: string, method: string, path: string, body?: object) {
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = z.looseObject({ data: z.any().optional() }).parse(await response.json());
  return { status: response.status, body: answer };
}

const revoke = async (...args: string[]) =>
  await runJackfield({
    cwd: folder.path,
    args: ["revoke", "--integration", "crm", ...args],
    env: { SVC_SECRET_KEY_DEV: platform.keys.dev, SVC_HOSTPORT: platform.url },
  });

test("keys that touched the revoked connections are replaced, and the new ones go to a file of the caller", async () => {
  const make = async (display_name: string) =>
    (await call(platform.keys.dev, "POST", "/environment/api-keys", { display_name })).body.data;
  const [reader, other] = [await make("reader"), await make("other")];
  const read = await call(reader.secret, "GET", "/connections/acme?provider_config_key=crm");
  const file = join(folder.path, "new-keys.json");

  const revoked = await revoke("--replace-keys", file);
  const written = JSON.parse(await readFile(file, "utf8"));
  const again = await revoke("--replace-keys", file);
  const rehearsed = await revoke("--rehearse", "--replace-keys", join(folder.path, "none.json"));

  expect(read.status).toBe(200);
  // An API key of a provider cannot be withdrawn, which the exit code says.
  expect(revoked.code).toBe(1);
  expect(revoked.stderr).toContain(`Replaced the API key "reader" (${reader.id}).`);
  expect(written).toEqual([
    {
      replaced_key_id: reader.id,
      works_until: null,
      key: expect.objectContaining({ display_name: "reader" }),
    },
  ]);
  const [{ key }] = written;
  expect(revoked.stdout + revoked.stderr).not.toContain(key.secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const working = await Promise.all(
    [reader.secret, other.secret, key.secret].map(
      async (secret) => (await call(secret, "GET", "/environment")).status,
    ),
  );
  expect(working).toEqual([401, 200, 200]);
  expect(again).toMatchObject({ code: 1, stdout: "" });
  expect(again.stderr).toContain("new-keys.json cannot be created");
  expect(rehearsed).toMatchObject({ code: 2, stdout: "" });
  expect(rehearsed.stderr).toContain("cannot be used with option '--rehearse'");
});
