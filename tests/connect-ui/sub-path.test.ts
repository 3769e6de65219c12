import { expect, test } from "vitest";
import { closeBrowser, startVisit } from "./browser.ts";
import { startInstallation } from "./installation.ts";
import { findFreePort, startReverseProxy } from "./reverse-proxy.ts";

test("the page works below a path, by its link and without the last slash", async (t) => {
  const port = await findFreePort();
  const target = `http://127.0.0.1:${port}`;
  await using proxy = await startReverseProxy({ target, path: "/tools/jackfield" });
  await using installation = await startInstallation({
    SVC_PORT: String(port),
    SVC_SERVER_URL: proxy.url,
  });
  try {
    await using visit = await startVisit(t);
    const { page } = visit;
    const { token, link } = await installation.createSession({ allowed_integrations: ["ledger"] });

    await page.goto(link.replace("/?", "?"));
    await page.getByLabel("Token", { exact: true }).fill("k");
    const address = page.url();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByRole("heading", { name: "Ledger is connected" }).waitFor();

    expect(link).toBe(`${proxy.url}/connect/?session_token=${token}`);
    expect(address).toBe(`${proxy.url}/connect/`);
  } finally {
    await closeBrowser();
  }
});
