import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, startVisit } from "../connect-ui/browser.ts";
import { addConnections, deployFunction } from "../dashboard/fill-environment.ts";
import { expectAccessible, isTooWide } from "../dashboard/open-dashboard.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";

// The page on which an end user approves a call, in a real browser.

const environment = "dev";
const verifier = createServer();

let people: PeopleUnderTest;
let owner: Browser;
let token: string;
beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  await addConnections(owner, environment, ["alpha"]);
  await deployFunction(owner, environment, {
    type: "action",
    name: "send-mail",
    code: `import { createAction } from "jackfield";
import * as z from "zod";
export default createAction({
  description: "Sends a mail",
  input: z.object({ to: z.string(), text: z.string() }),
  output: z.string(),
  agent: { effect: "destructive", title: "Send a mail" },
  exec: async (svc, input) => {
    await svc.post({ endpoint: "/mails", params: { copy: "me" }, data: { to: input.to, text: input.text } });
    return "sent";
  },
});
`,
  });
  await new Promise<void>((resolve) => verifier.listen(0, "127.0.0.1", resolve));
  verifier.on("request", (request, response) => {
    const id = new URL(request.url ?? "", "http://x").searchParams.get("authorization_id");
    const body = { end_user_id: "u-alpha" };
    void owner
      .call("POST", `/agent/authorizations/${id}`, { environment, body })
      .then((answer) => response.writeHead(303, { location: answer.body.data.continue_url }).end());
  });
  // It listens on a port, not on a socket file.
  const { port } = verifier.address() as AddressInfo;
  await owner.call("PUT", "/agent/sign-in", {
    ...{ environment, body: { verifier_url: `http://127.0.0.1:${port}/verify` } },
  });
  const policy = { preset: "careful", approver: "end_user" };
  const toolset = { mode: "direct", tools: [{ integration: "open" }], policy };
  await owner.call("PUT", "/agent/toolsets/helper", { environment, body: toolset });
  const asked = { toolset: "helper", end_user_id: "u-alpha" };
  const begun = await owner.call("POST", "/agent/sessions", { environment, body: asked });
  token = begun.body.data.token;
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  verifier.closeAllConnections();
  verifier.close();
});

/** Where the end user approves a call that waits. */
async function ask(to: string, text: string): Promise<string> {
  const response = await fetch(`${people.url}/mcp/helper`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "open__send-mail", arguments: { to, text } },
    }),
  });
  const written = await response.text();
  const url = /\\"approval_url\\":\\"([^"\\]+)/.exec(written)?.[1];
  if (url === undefined) throw new Error(written);
  return url;
}

const languages = [
  ["en", "Allow this?", "Allow", "Allowed"],
  ["de", "Das erlauben?", "Erlauben", "Erlaubt"],
  ["fr", "Autoriser cette action ?", "Autoriser", "Autorisé"],
  ["es", "¿Permitir esto?", "Permitir", "Permitido"],
  ["ja", "許可しますか？", "許可する", "許可しました"],
] as const;

test.for(languages)(
  "in %s the page shows the very request, and takes a yes",
  async (row, context) => {
    const [language, title, allow, allowed] = row;
    const url = await ask("bob@example.com", `<script>alert(1)</script> in ${language}\u202e`);
    await using visit = await startVisit(context, {
      ...{ locale: language, viewport: { width: 360, height: 740 } },
    });
    const { page } = visit;

    await page.goto(url);
    await page.getByRole("heading", { name: title, level: 1 }).waitFor();
    const text = await page.locator("main").textContent();
    await expectAccessible(page);
    const isWide = await isTooWide(page);
    await page.getByRole("button", { name: allow, exact: true }).click();
    await page.getByRole("heading", { name: allowed, level: 1 }).waitFor();
    await expectAccessible(page);

    expect(await page.locator("html").getAttribute("lang")).toBe(language);
    for (const shown of ["POST", "/mails", '"to": "bob@example.com"', "u-alpha", "⟨U+202E⟩"]) {
      expect(text).toContain(shown);
    }
    expect(text).toContain(`<script>alert(1)</script> in ${language}`);
    expect(text).toContain("copy=me");
    expect(isWide).toBe(false);
  },
);

test("a no, and a link that is not there, are said in words", async (context) => {
  const url = await ask("bob@example.com", "no");
  await using visit = await startVisit(context, { locale: "en" });
  const { page } = visit;

  await page.goto(url);
  await page.getByRole("button", { name: "Do not allow" }).click();
  await page.getByRole("heading", { name: "Not allowed" }).waitFor();
  await expectAccessible(page);
  await page.goto(`${people.url}/agent/approve/${crypto.randomUUID()}`);
  await page.getByRole("heading", { name: "Nothing to allow here" }).waitFor();
  await expectAccessible(page);

  const policy = (await fetch(url)).headers.get("content-security-policy");
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe");
});
