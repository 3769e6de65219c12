import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { closeBrowser, startVisit } from "./browser.ts";
import { type Installation, startInstallation } from "./installation.ts";
import { listen } from "./reverse-proxy.ts";

const react = fileURLToPath(new URL("../../packages/react/", import.meta.url));

// What a customer writes: a button, a hook, and a component that goes away while the page is open.
const app = `
import { ConnectButton, useConnect } from "@jackfield/react";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

const note = (...item) => window.told.push(item);
const options = {
  host: window.platform,
  getSessionToken: async () => await window.nextToken(),
  onConnect: ({ providerConfigKey }) => note("connect", providerConfigKey),
  onError: ({ errorType }) => note("error", errorType),
  onClose: () => note("close"),
};

function Handler() {
  const { open, isOpen } = useConnect(options);
  return <a href="#" onClick={open}>{isOpen ? "open" : "closed"}</a>;
}

function App() {
  const [isShown, setShown] = useState(true);
  window.hide = () => setShown(false);
  return <main>
    <ConnectButton {...options} className="primary">Connect your CRM</ConnectButton>
    {isShown && <Handler />}
  </main>;
}

createRoot(document.querySelector("#app")).render(<StrictMode><App /></StrictMode>);
`;

interface BuiltFile {
  readonly fileName: string;
  readonly code?: string;
  readonly source?: string;
}

interface Site extends AsyncDisposable {
  readonly origin: string;
}

let installation: Installation;
let site: Site;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  stack.defer(closeBrowser);
  site = stack.use(await buildApp());
  installation = stack.use(await startInstallation());
  return async () => await stack.disposeAsync();
}, 60_000);

/** The app as Vite builds it, in a folder below the package, so that it finds React there. */
async function buildApp(): Promise<Site> {
  const folder = join(react, ".cache", `app-${process.pid}`);
  await mkdir(folder, { recursive: true });
  const html = `<!doctype html><title>App</title><div id="app"></div><script type="module" src="./main.jsx"></script>`;
  await writeFile(join(folder, "index.html"), html);
  await writeFile(join(folder, "main.jsx"), app);
  const { resolve } = createRequire(join(react, "package.json"));
  const { build, defaultClientConditions } = await import(pathToFileURL(resolve("vite")).href);
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    resolve: {
      alias: { "@jackfield/react": join(react, "src/index.ts") },
      conditions: ["jackfield-source", ...defaultClientConditions],
    },
    build: { write: false, modulePreload: { polyfill: false } },
  });
  await rm(folder, { recursive: true });
  const output: readonly BuiltFile[] = [built].flat()[0].output;
  const files = new Map(
    output.map(({ fileName, code, source }) => [`/${fileName}`, code ?? source]),
  );
  const server = createServer(({ url = "/" }, response) => {
    const path = url === "/" ? "/index.html" : url;
    const type = path.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(files.has(path) ? 200 : 404, { "content-type": `${type}; charset=utf-8` });
    response.end(files.get(path));
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("in a Vite app the button connects, the hook tells of failures, and nothing stays behind", async (t) => {
  await using visit = await startVisit(t);
  const { page } = visit;
  const { token } = await installation.createSession({
    allowed_integrations: ["quay"],
    allowed_origins: [site.origin],
  });
  await page.addInitScript(`
    window.platform = ${JSON.stringify(installation.url)};
    window.told = [];
    window.nextToken = async () => ${JSON.stringify(token)};
  `);
  const dialogs = page.locator("dialog");
  await page.goto(site.origin);

  const button = page.getByRole("button", { name: "Connect your CRM" });
  await button.click();
  const isDisabled = await button.isDisabled();
  const frame = page.frameLocator("#connect-ui");
  await frame.getByRole("button", { name: "Continue to Quay Mail" }).click();
  await frame.getByRole("button", { name: "Done" }).click();
  await dialogs.waitFor({ state: "detached" });
  const connected = await page.evaluate("window.told.splice(0)");

  await page.evaluate('window.nextToken = () => { throw new Error("no backend") }');
  await page.getByText("closed").click();
  await expect.poll(() => page.evaluate("window.told.length")).toBe(2);
  const failed = await page.evaluate("window.told.splice(0)");

  await page.evaluate("window.nextToken = () => new Promise(() => {})");
  await page.getByText("closed").click();
  await page.getByText("open", { exact: true }).waitFor();
  const openDialogs = await dialogs.count();
  await page.evaluate("window.hide()");
  await dialogs.waitFor({ state: "detached" });

  expect(isDisabled).toBe(true);
  expect(await button.getAttribute("class")).toBe("primary");
  expect(connected).toEqual([["connect", "quay"], ["close"]]);
  expect(failed).toEqual([["error", "session_token_failed"], ["close"]]);
  expect(openDialogs).toBe(1);
  expect(await page.evaluate("window.told")).toEqual([]);
});
