import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
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

test("one that has ended is, though its parent has not taken note", async () => {
  // The shell's child ends at once, and the program that takes the shell's place never waits for it.
  const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 60"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [line] = await once(parent.stdout, "data");
    const pid = String(line).trim();
    const statOf = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
    await expect.poll(() => statOf()[2]).toBe("Z");

    expect(isKnownDead(`${place}:${pid}:${statOf()[21]}`)).toBe(true);
  } finally {
    parent.kill();
  }
});

test.each([
  ["another machine's", `another-boot/pid:[1]:1:1`],
  ["another container's", `${place.split("/")[0]}/pid:[1]:1:1`],
  ["a name without a place", "0b6a4bb4-0f4c-4c2e-8f3c-2c1d9a6a1f00"],
  ["nothing", ""],
])("of %s nothing is known", (_name, owner) => {
  expect(isKnownDead(owner)).toBe(false);
});
