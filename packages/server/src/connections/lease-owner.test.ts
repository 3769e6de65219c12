import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isKnownDead, leaseOwner } from "./refresh/lease-owner.ts";

const [, place = "", , start = ""] = /^(.*):(\d+):(\d+)$/.exec(leaseOwner) ?? [];

test("a process that lives next to this one is not taken for dead", () => {
  expect(isKnownDead(leaseOwner)).toBe(false);
});

test("one that has ended is, also when another has its number by now", async () => {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");

  expect(isKnownDead(`${place}:${child.pid}:1`)).toBe(true);
  expect(isKnownDead(`${place}:${process.pid}:${Number(start) + 1}`)).toBe(true);
});

test.each([
  ["another machine's", `another-boot/pid:[1]:1:1`],
  ["another container's", `${place.split("/")[0]}/pid:[1]:1:1`],
  ["a name without a place", "0b6a4bb4-0f4c-4c2e-8f3c-2c1d9a6a1f00"],
  ["nothing", ""],
])("of %s nothing is known", (_name, owner) => {
  expect(isKnownDead(owner)).toBe(false);
});
