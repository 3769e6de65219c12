import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { startFakeCrm } from "../../../packages/cli/src/testing/fake-crm.ts";
import { runJackfield } from "../../../packages/cli/src/testing/run-jackfield.ts";
import { type BenchRow, median } from "../meters/row.ts";
import type { Subject } from "./subject.ts";

const bin = fileURLToPath(new URL("../../../packages/cli/bin/jackfield.js", import.meta.url));
const SAVES = 15;
const PATIENCE_MS = 60_000;
const BAR_MS = 1000;
/** An author rests between two saves; types are checked meanwhile. */
const BETWEEN_MS = 100;

/**
 * What an author waits for: from the save of a file in the editor until the page of `jackfield dev` has drawn the new
 * run. The sync of `jackfield init` calls its provider three times; the provider answers at once.
 */
export async function measureDevLoop({
  chrome,
  owner,
  headers,
  server,
}: Subject): Promise<BenchRow[]> {
  await using stack = new AsyncDisposableStack();
  const crm = stack.use(await startFakeCrm());
  const projectDir = await mkdtemp(join(tmpdir(), "jackfield-bench-dev-"));
  stack.defer(async () => await rm(projectDir, { recursive: true, force: true }));
  await runJackfield({ cwd: projectDir, args: ["init"] });
  await owner.post("/integrations", {
    provider: "private-api-bearer",
    unique_key: "crm",
    integration_config: { base_url: crm.url },
  });
  await owner.post("/connections", {
    provider_config_key: "crm",
    connection_id: "acme",
    credentials: { type: "API_KEY", apiKey: crm.token },
  });
  const key = String(headers["authorization"]).replace("Bearer ", "");
  const address = await startDev(stack, projectDir, { url: server.url, key });
  const context = await chrome.newContext();
  stack.defer(async () => await context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(address);
  await waitForRun(page, 1);
  const waits: number[] = [];
  for (let save = 1; save <= SAVES; save += 1) {
    waits.push(await saveAndSee(page, join(projectDir, "crm/contact.ts"), save));
  }
  // The first one starts what later ones find started.
  const warm = waits.slice(1);
  return [
    {
      name: "dashboard: jackfield dev, from the save of a file to its run on the page",
      value: median(warm),
      unit: "ms",
      note: `median of ${warm.length}, at most ${Math.round(Math.max(...warm))}, the first ${Math.round(waits[0] ?? Number.NaN)}`,
      bar: { most: BAR_MS },
    },
  ];
}

/** Starts the command as a user does; gives the address of its page. */
async function startDev(
  stack: AsyncDisposableStack,
  projectDir: string,
  platform: { readonly url: string; readonly key: string },
): Promise<string> {
  const dev = spawn(process.execPath, [bin, "dev", "--ui", "--dryrun", "contacts"], {
    cwd: projectDir,
    env: {
      PATH: dirname(process.execPath),
      SVC_SECRET_KEY_DEV: platform.key,
      SVC_HOSTPORT: platform.url,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  stack.defer(async () => {
    if (dev.exitCode !== null) return;
    dev.kill("SIGINT");
    await once(dev, "exit");
  });
  let printed = "";
  const opened = new Promise<string>((resolve, reject) => {
    for (const stream of [dev.stdout, dev.stderr]) {
      stream.on("data", (text: Buffer) => {
        printed += text.toString();
        const address = /Open: (\S+)/.exec(printed)?.[1];
        if (address !== undefined) resolve(address);
      });
    }
    dev.once("exit", (code) => reject(new Error(`jackfield dev ended with ${code}: ${printed}`)));
  });
  return await opened;
}

/** Waits for the run's result besides its name: the name is in the list before the page has read the run. */
async function saveAndSee(page: Page, file: string, save: number): Promise<number> {
  const source = await readFile(file, "utf8");
  const mark = `saved ${save} `;
  const edited = source
    .split("\n")
    .map((line) => (line.includes("contact.name,") ? `name: "${mark}" + contact.name,` : line))
    .join("\n");
  if (edited === source) throw new Error(`${file} has no line to change`);
  const startedAt = performance.now();
  await writeFile(file, edited);
  await waitForRun(page, save + 1);
  await page.getByRole("region", { name: "Result" }).getByText(`"${mark}Person 1"`).waitFor();
  const waited = performance.now() - startedAt;
  await page.getByText("waits for changes").waitFor();
  await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
  return waited;
}

async function waitForRun(page: Page, id: number): Promise<void> {
  await page.getByRole("button", { name: `Run ${id}`, exact: true }).waitFor();
}
