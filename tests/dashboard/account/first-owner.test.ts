import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { closeBrowser, startVisit } from "../../connect-ui/browser.ts";
import { makeDataFolder } from "../../launcher/data-folder.ts";
import { startPlatformProcess } from "../../launcher/platform-process.ts";
import { OWNER } from "../../people/people-under-test.ts";
import { addAuthenticator } from "../authenticator.ts";

// Of an owner who has given no name, the part of the address before its @.
const NAME = "ada";

vi.setConfig({ testTimeout: 300_000 });
afterAll(closeBrowser);

test("from an empty folder to an owner who signs in with a passkey", async (context) => {
  const folder = await makeDataFolder();
  const dataDir = folder.path;
  context.onTestFinished(async () => await folder[Symbol.asyncDispose]());
  await using visit = await startVisit(context);
  const { page } = visit;
  await addAuthenticator(page);
  const platform = await startPlatformProcess({ dataDir, readyWithinMs: 240_000 });
  context.onTestFinished(async () => void (await platform.stop()));
  const link = (await readFile(join(dataDir, "setup-link"), "utf8")).trim();

  await page.goto(link);
  await page.getByLabel("E-mail address").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Become the owner" }).click();
  await page.getByRole("button", { name: NAME }).click();
  await page.getByRole("menuitem", { name: "Profile" }).click();
  await page.getByLabel("Name of the new passkey").fill("Laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("Laptop", { exact: true }).waitFor();
  await page.getByRole("button", { name: NAME }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();

  await page.getByRole("button", { name: NAME }).waitFor();
  expect(new URL(page.url()).pathname).not.toContain("sign-in");
});
