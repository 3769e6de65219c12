import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { startStubPlatform } from "./testing/stub-platform.ts";

const deno = fileURLToPath(import.meta.resolve("deno/bin.cjs"));
const script = fileURLToPath(new URL("./testing/on-any-runtime.ts", import.meta.url));

test.each([
  ["Node", []],
  ["Deno", [deno, "run", "--quiet", "--no-config", "--no-remote", "--allow-net=127.0.0.1"]],
])("runs on %s from the same source, with nothing but what is standard", async (_name, before) => {
  await using platform = await startStubPlatform();
  platform.answer(
    { body: { data: { token: "t" } } },
    { body: { records: [{ id: "1" }], next_cursor: "n" } },
    { body: { records: [{ id: "2" }], next_cursor: null } },
    { body: { ok: true } },
    { status: 403, body: { error: { code: "forbidden", message: "No." } } },
  );
  const signingKey = `whsec_${randomBytes(32).toString("base64")}`;
  const now = new Date();
  const signature = new Webhook(signingKey).sign("msg_1", now, "{}");
  const sentAt = String(Math.floor(now.getTime() / 1000));
  const cache = await mkdtemp(join(tmpdir(), "jackfield-deno-"));

  const args = [...before, script, platform.url, signingKey, signature, sentAt];
  const env = { DENO_DIR: cache, DENO_NO_UPDATE_CHECK: "1", HOME: cache, NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  await rm(cache, { recursive: true });

  expect(stdout.trim()).toBe("done");
  expect(platform.seen).toHaveLength(5);
});
