import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { closeBrowser, startVisit } from "../connect-ui/browser.ts";

const program = fileURLToPath(new URL("../../packages/simulator/src/demo.ts", import.meta.url));

afterAll(closeBrowser);

/** Runs until it tells what to click; both links are those that it prints. */
async function startDemo(folder: string) {
  const child = spawn(process.execPath, ["--conditions=jackfield-source", program, "--stay"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { TMPDIR: folder },
  });
  child.stderr.pipe(process.stderr);
  const exited = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes("nothing stays behind")) break;
  }
  const text = lines.join("\n");
  return {
    text,
    connectLink: /^ +(http:\S+\/connect\/\S+)$/m.exec(text)?.[1] ?? "",
    simulator: /^ +(http:\S+\/\.simulator\?\S+)$/m.exec(text)?.[1] ?? "",
    async stop(): Promise<number | null> {
      child.kill("SIGINT");
      const [code] = await exited;
      return code;
    },
  };
}

test("the demo walks the whole path, and what it says to click works", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const folder = await mkdtemp(join(tmpdir(), "jackfield-demo-"));
  t.onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const demo = await startDemo(folder);

  expect(demo.text).toMatch(/"added":1000,/);
  expect(demo.text).toMatch(/"type":"forward"/);
  expect(demo.text).toMatch(/Renamed Ltd/);
  expect(demo.text).toMatch(/"name":"Ada Quay"/);

  await page.goto(demo.connectLink);
  const consent = await visit.nextPopup(() =>
    page.getByRole("button", { name: "Continue to HubSpot" }).click(),
  );
  await consent.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "HubSpot is connected" }).waitFor();

  await page.goto(demo.simulator);
  await page.getByRole("button", { name: "Send it, signed" }).click();
  expect(await page.getByRole("status").textContent()).toMatch(/"status":200,"signed":true/);
  await page.getByLabel("Answer calls with this status").fill("503");
  await page.getByRole("button", { name: "Set the faults" }).click();
  expect(await page.getByLabel("Answer calls with this status").inputValue()).toBe("503");

  expect(await demo.stop()).toBe(0);
  await expect(fetch(demo.simulator)).rejects.toThrow();
  expect((await readdir(folder)).filter((name) => name.startsWith("jackfield-data"))).toEqual([]);
}, 120_000);
