import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { spawnJackfield, startJackfield } from "../testing/run-jackfield.ts";
import { createTestFolder } from "../testing/test-folder.ts";

/** A call under the vendor's own name, which fetch would not send. */
async function ask(origin: string, token: string): Promise<unknown> {
  const path = "/crm/v3/objects/contacts?limit=2";
  const sent = request(`${origin}${path}`, {
    headers: { host: "api.hubapi.com", authorization: `Bearer ${token}` },
  });
  sent.end();
  const [answer]: IncomingMessage[] = await once(sent, "response");
  if (answer === undefined) throw new Error("there is no answer");
  return await json(answer);
}

test("prints what makes integration and connection, and answers with a module of one's own", async () => {
  await using folder = await createTestFolder();
  await writeFile(
    join(folder.path, "fake.ts"),
    `export default ({ path, url }: { path: string; url: string }) =>
       path.startsWith("/crm/") ? { body: { path, url } } : undefined;`,
  );
  const child = startJackfield({
    cwd: folder.path,
    args: ["simulate", "hubspot", "--port", "0", "--api", "fake.ts"],
  });
  const exited = once(child, "exit");
  const lines: string[] = [];
  if (child.stdout === null) throw new Error("there is no output");
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line === "}" && lines.some((each) => each.startsWith("A connection for it"))) break;
  }
  const [head = "", integration = "", connection = ""] = lines.join("\n").split(/POST \S+\n/);
  const origin = /simulated at (\S+)/.exec(head)?.[1] ?? "";
  const body = JSON.parse(connection);

  const answer = await ask(origin, body.credentials.access_token);
  child.kill("SIGTERM");

  expect(integration).toContain(`"simulator_url": "${origin}"`);
  expect(body).toMatchObject({ provider_config_key: "hubspot", credentials: { type: "OAUTH2" } });
  expect(answer).toEqual({
    path: "/crm/v3/objects/contacts",
    url: "https://api.hubapi.com/crm/v3/objects/contacts?limit=2",
  });
  expect(await exited).toEqual([0, null]);
});

test.each([
  ["a provider that there is not", ["hubspit"], 2, /no provider hubspit\. Did you mean .*hubspot/],
  ["a module that there is not", ["hubspot", "--api", "nope.ts"], 2, /nope\.ts cannot be loaded/],
  [
    "a module without a function",
    ["hubspot", "--api", "empty.ts"],
    2,
    /no function as its default/,
  ],
  ["a port that is none", ["hubspot", "--port", "high"], 2, /--port must be a number/],
] as const)("%s is reported", async (_what, args, code, message) => {
  await using folder = await createTestFolder();
  await writeFile(join(folder.path, "empty.ts"), "export const api = 1;");

  const outcome = await spawnJackfield({ cwd: folder.path, args: ["simulate", ...args] });

  expect(outcome).toMatchObject({ code, stdout: "" });
  expect(outcome.stderr).toMatch(message);
});
