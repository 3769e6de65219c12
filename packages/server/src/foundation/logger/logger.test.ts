import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "./logger.ts";

async function logged(fields: Record<string, unknown>): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), "jackfield-log-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const file = join(folder, "log");
  createLogger("info", file).error("it.failed", fields);
  await expect.poll(async () => await readFile(file, "utf8").catch(() => "")).toContain("\n");
  return JSON.parse(await readFile(file, "utf8"));
}

test("an error under any key shows its type, message, code and where it came from", async () => {
  const refusal = Object.assign(new pg.DatabaseError("relation is gone", 10, "error"), {
    code: "42P01",
  });

  const line = await logged({
    error: refusal,
    err: new TypeError("two"),
    nested: { list: [new Error("three")] },
  });

  expect(line).toMatchObject({
    msg: "it.failed",
    error: { type: "error", message: "relation is gone", code: "42P01" },
    err: { type: "TypeError", message: "two" },
    nested: { list: [{ type: "Error", message: "three" }] },
  });
  expect(JSON.stringify(line["err"])).toContain("logger.test.ts");
});

test("the causes of an error are shown, of several addresses the first one's", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), {
    code: "ECONNREFUSED",
  });
  const cause = new AggregateError([refused], "");

  const line = await logged({ error: new Error("the database is away", { cause }) });

  expect(line["error"]).toMatchObject({
    cause: { type: "AggregateError", cause: { code: "ECONNREFUSED" } },
  });
});

test("an error's text shows no credentials, is bounded, and one that causes itself is cut", async () => {
  const error = new Error(
    `postgres://user:hunter22@db/x Bearer abcdefgh12345 svc_key_0123456789abcdef ${"x".repeat(5000)}`,
  );
  error.cause = error;

  const text = JSON.stringify(await logged({ error }));

  expect(text).toContain("postgres://[secret]@db/x Bearer [secret] [secret]");
  expect(text).not.toMatch(/hunter22|abcdefgh12345|0123456789abcdef/);
  expect(text.length).toBeLessThan(12_000);
});

test("what has its own way into JSON keeps it", async () => {
  const at = new Date(0);

  expect(await logged({ at, own: { toJSON: () => "told" }, count: 1 })).toMatchObject({
    at: at.toISOString(),
    own: "told",
    count: 1,
  });
});
