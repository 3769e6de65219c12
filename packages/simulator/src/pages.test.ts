import { getuid } from "node:process";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect, type TestContext, test } from "vitest";
import { requireTool } from "../../../tests/require-tool.ts";
import { type SimulatedProvider, startSimulatedProvider } from "./start-simulated-provider.ts";
import { exchangeCode, newAuthorizationRequest, redirectUri } from "./testing/code-flow.ts";

function launchBrowser(context: TestContext): Promise<Browser> {
  const executablePath = requireTool("chromium", context);
  const isRoot = getuid?.() === 0;
  return chromium.launch({
    executablePath,
    args: isRoot ? ["--no-sandbox"] : [],
    chromiumSandbox: !isRoot,
  });
}

function startProvider(): Promise<SimulatedProvider> {
  return startSimulatedProvider({ redirectUris: [redirectUri], contacts: 1 });
}

// The callback belongs to no server: the address of the request is all that a test needs.
async function clickToCallback(page: Page, button: string): Promise<URL> {
  const request = page.waitForRequest((candidate) => candidate.url().startsWith(redirectUri));
  await page.getByRole("button", { name: button }).click();
  return new URL((await request).url());
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("a user signs in and allows access on a phone", { timeout: 60_000 }, async (context) => {
  await using browser = await launchBrowser(context);
  await using provider = await startProvider();
  const request = newAuthorizationRequest(provider);
  const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
  const foreignRequests: string[] = [];
  page.on("request", (sent) => {
    if (/^https?:/.test(sent.url()) && !sent.url().startsWith(provider.origin)) {
      foreignRequests.push(sent.url());
    }
  });

  await page.goto(request.url);
  await signIn(page, "ida@shop.example", "wrong");
  const complaint = await page.getByRole("alert").textContent();
  await signIn(page, "ida@shop.example", "harbor");
  await page.getByText("You are signed in as ida@shop.example").waitFor();
  const overflow = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  const callback = await clickToCallback(page, "Allow");
  const tokens = await exchangeCode(provider, callback, request.codeVerifier);

  expect(complaint).toContain("wrong");
  expect(overflow).toBe(0);
  expect(callback.searchParams.get("state")).toBe(request.state);
  expect(tokens.status).toBe(200);
  const me = await fetch(`${provider.apiUrl}/me`, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  expect(await me.json()).toMatchObject({ email: "ida@shop.example" });
  expect(foreignRequests).toEqual([callback.href]);
});

test("a user who denies is sent back with access_denied", { timeout: 60_000 }, async (context) => {
  await using browser = await launchBrowser(context);
  await using provider = await startProvider();
  const request = newAuthorizationRequest(provider);
  const page = await browser.newPage();

  await page.goto(request.url);
  await signIn(page, "ida@shop.example", "harbor");
  const callback = await clickToCallback(page, "Deny");

  expect(callback.searchParams.get("error")).toBe("access_denied");
  expect(callback.searchParams.get("state")).toBe(request.state);
  expect(callback.searchParams.has("code")).toBe(false);
});
