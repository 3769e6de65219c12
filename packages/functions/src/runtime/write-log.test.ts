import { expect, test } from "vitest";
import { boundJson } from "./bound-json.ts";
import { testRun } from "./testing/test-run.ts";

test("a log call takes a message, meta and options", async () => {
  const { svc, calls } = testRun();

  await svc.log();
  await svc.log("plain");
  await svc.log("with meta", ["x", "y"], { level: "error" });
  await svc.log("level only", { level: "http" });
  await svc.log({ a: 1 }, "text", "dropped");

  expect(calls.map(({ params }) => params)).toEqual([
    { level: "info", message: "plain" },
    { level: "error", message: "with meta", meta: { 0: "x", 1: "y" } },
    { level: "info", message: "level only" },
    { level: "info", message: '{"a":1}', meta: { value: "text" } },
  ]);
});

test("only lines at or above the level leave, and setLogger moves it", async () => {
  const { svc, calls } = testRun({ facts: { loggerLevel: "warn" } });

  await svc.log("info");
  await svc.log("warn", { level: "warn" });
  svc.setLogger({ level: "verbose" });
  await svc.log("debug", { level: "silly" });
  svc.setLogger({ level: "off" });
  svc.setLogger({ level: "debug" });
  await svc.log("error", { level: "error" });

  expect(calls.map(({ params }) => params["message"])).toEqual(["warn", "debug"]);
  // @ts-expect-error no such level
  expect(() => svc.setLogger({ level: "loud" })).toThrow("use one of");
});

test("long lines are cut, and a line that cannot be written fails nothing", async () => {
  const { svc, calls } = testRun({
    answer: () => {
      throw new Error("the host is busy");
    },
  });

  await svc.log("x".repeat(20_000), { text: "y".repeat(200_000) });

  expect(String(calls[0]?.params["message"])).toHaveLength(10_000);
  expect(JSON.stringify(calls[0]?.params["meta"]).length).toBeLessThan(99_100);
});

test("any value becomes bounded JSON", () => {
  const cycle: Record<string, unknown> = { name: "c" };
  cycle["self"] = cycle;

  expect(boundJson({ n: 1n, f: boundJson, u: undefined, nan: Number.NaN, d: new Date(0) })).toEqual(
    {
      n: "1",
      f: "[function boundJson]",
      nan: null,
      d: "1970-01-01T00:00:00.000Z",
    },
  );
  expect(boundJson(cycle)).toEqual({ name: "c", self: "[circular]" });
  expect(boundJson({ e: new Error("x") })).toMatchObject({ e: { name: "Error", message: "x" } });
  const many = boundJson(
    Array.from({ length: 100_000 }, () => "item"),
    1000,
  );
  expect(JSON.stringify(many).length).toBeLessThan(1100);
});
