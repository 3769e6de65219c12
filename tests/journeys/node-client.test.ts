import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  approveAuthorization,
  type SimulatedProvider,
  startSimulatedProvider,
} from "@jackfield/simulator";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { commandLineArgs } from "../launcher/command-line-bundle.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { type Api, apiOf } from "./api.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

test("every example of the client's README compiles and does what it says", async () => {
  await using examples = await writeExamples();
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key },
  });
  await using provider = await startSimulatedProvider({
    redirectUris: [`${platform.url}/oauth/callback`],
    contacts: 250,
    consent: "automatic",
  });
  const api = apiOf(platform.url, key);
  await addIntegration(api, provider);
  await deployFunctions({ folder: folder.path, url: platform.url, key });
  const settings = await api("GET", "/environment/webhooks");
  const signingKey: string = settings.body.data.signing_keys[0].key;
  const env = { JACKFIELD_API_KEY: key, JACKFIELD_HOST: platform.url };

  const connected = await examples.runWhile(0, env, async (output) => {
    const [link = ""] = /http\S+session_token=\w+/.exec(output) ?? [];
    if (link !== "") await connectAsEndUser(platform.url, link);
    return link !== "";
  });
  const [, connectionId = ""] = /Connected: (\S+)/.exec(connected) ?? [];
  const withConnection = { ...env, CONNECTION_ID: connectionId };
  const listed = await examples.run(1, withConnection);
  const called = await examples.run(2, withConnection);
  await recordsAreThere(api, connectionId);
  const read = await examples.run(3, withConnection);
  // The feed does not end: it is stopped when it has sent what there is.
  const followed = await examples.follow(4, env, (output) => output.split("stored").length > 250);
  const acted = await examples.run(5, withConnection);
  const callsBefore = provider.journal.apiCalls;
  const again = await examples.run(5, withConnection);
  const callsOfReplay = provider.journal.apiCalls - callsBefore;
  const received = await examples.receive(6, { ...env, JACKFIELD_WEBHOOK_SIGNING_KEY: signingKey });
  expect(await platform.stop()).toBe(0);

  expect(connectionId).not.toBe("");
  expect(listed).toBe(`${connectionId}: {"plan":"team"}\n`);
  expect(called).toMatch(/^2 contacts\nprovider_error (4\d\d) \1\n$/);
  expect(read).toMatch(/^250 contacts\nNext run: 20/);
  expect(followed.match(/^\S+ \S+ \S+@\S+$/gm)).toHaveLength(250);
  expect([acted, again]).toEqual(["Created Ada Quay\n", "Created Ada Quay\n"]);
  expect(received).toBe("Webhook: auth\n204\n401\n");
  expect(callsOfReplay).toBe(0);
}, 90_000);

interface Examples extends AsyncDisposable {
  run(index: number, env: Record<string, string>): Promise<string>;
  /** Runs it and, on the way, tells what it has printed until `act` says that it has seen enough. */
  runWhile(
    index: number,
    env: Record<string, string>,
    act: (output: string) => Promise<boolean>,
  ): Promise<string>;
  /** Runs it until it has printed enough, and stops it. */
  follow(
    index: number,
    env: Record<string, string>,
    isEnough: (output: string) => boolean,
  ): Promise<string>;
  receive(index: number, env: Record<string, string>): Promise<string>;
}

/** The TypeScript of the README as files that import the package by its name; compiled first. */
async function writeExamples(): Promise<Examples> {
  const readme = await readFile(join(root, "packages/node/README.md"), "utf8");
  const folder = join(root, "packages/node/.cache", randomUUID());
  await mkdir(folder, { recursive: true });
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
  const files = blocks.map((_, index) => join(folder, `example-${index}.ts`));
  await Promise.all(blocks.map(async (code, index) => await writeFile(files[index] ?? "", code)));
  await writeFile(join(folder, "receive.ts"), receiver);
  const config = {
    extends: join(root, "tsconfig.base.json"),
    files: files.map((file) => file),
    compilerOptions: { lib: ["es2024", "esnext.disposable", "esnext.iterator"] },
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  await run(process.execPath, [join(dirname(typescript), "bin", "tsc"), "-p", folder]);
  const start = (args: string[], env: Record<string, string>) => {
    const child = spawn(process.execPath, ["--conditions=jackfield-source", ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr.pipe(process.stderr);
    return child;
  };
  const finish = async (
    args: string[],
    env: Record<string, string>,
    act: (output: string) => Promise<boolean> = async () => true,
  ): Promise<string> => {
    const child = start(args, env);
    let output = "";
    let seen: Promise<boolean> = Promise.resolve(false);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      seen = seen.then(async (isEnough) => isEnough || (await act(output)));
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    await seen;
    expect(code, output).toBe(0);
    return output;
  };
  return {
    run: async (index, env) => await finish([files[index] ?? ""], env),
    runWhile: async (index, env, act) => await finish([files[index] ?? ""], env, act),
    async follow(index, env, isEnough) {
      const child = start([files[index] ?? ""], env);
      let output = "";
      for await (const text of child.stdout.setEncoding("utf8")) {
        output += String(text);
        if (isEnough(output)) break;
      }
      child.kill();
      return output;
    },
    receive: async (index, env) => {
      const signed = signWebhook(env["JACKFIELD_WEBHOOK_SIGNING_KEY"] ?? "");
      return await finish([join(folder, "receive.ts"), files[index] ?? "", signed], env);
    },
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }),
  };
}

// Hands the example one genuine webhook and an altered one.
const receiver = `
const [, , file, signed] = process.argv;
const { receive } = await import(file);
const { headers, body } = JSON.parse(signed);
for (const text of [body, body + " "]) {
  const answer = await receive(new Request("http://x/", { method: "POST", headers, body: text }));
  console.log(answer.status);
}
`;

function signWebhook(signingKey: string): string {
  const body = '{"type":"auth"}';
  const now = new Date();
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": new Webhook(signingKey).sign("msg_1", now, body),
  };
  return JSON.stringify({ headers, body });
}

async function addIntegration(api: Api, provider: SimulatedProvider): Promise<void> {
  const { oauth, origin } = provider;
  const answer = await api("POST", "/integrations", {
    body: {
      provider: "oauth2-generic",
      unique_key: "crm",
      credentials: {
        type: "OAUTH2",
        client_id: oauth.clientId,
        client_secret: oauth.clientSecret,
        scopes: "openid,offline_access,contacts.read,contacts.write",
      },
      integration_config: {
        authorization_url: oauth.authorizationUrl,
        token_url: oauth.tokenUrl,
        base_url: origin,
      },
    },
  });
  expect(answer.status).toBe(200);
}

const harborFunctions = new URL("functions/harbor/", import.meta.url);

async function deployFunctions({ folder, url, key }: { folder: string; url: string; key: string }) {
  const project = join(folder, "functions");
  const env = { SVC_HOSTPORT: url, SVC_SECRET_KEY_DEV: key };
  await run(process.execPath, [...commandLineArgs(), "init", project], { cwd: folder, env });
  await mkdir(join(project, "crm", "syncs"), { recursive: true });
  await mkdir(join(project, "crm", "actions"), { recursive: true });
  for (const file of ["contact.ts", "syncs/contacts.ts", "actions/create-contact.ts"]) {
    await writeFile(join(project, "crm", file), await readFile(new URL(file, harborFunctions)));
  }
  const index = 'import "./crm/syncs/contacts.ts";\nimport "./crm/actions/create-contact.ts";\n';
  await writeFile(join(project, "index.ts"), index);
  await run(process.execPath, [...commandLineArgs(), "deploy", "dev", "--auto-confirm"], {
    cwd: project,
    env,
  });
}

/** What a browser does between the link and the last page. */
async function connectAsEndUser(url: string, link: string): Promise<void> {
  const token = new URL(link).searchParams.get("session_token");
  const start = `${url}/oauth/connect/crm?connect_session_token=${token}`;
  const redirect = await fetch(start, { redirect: "manual" });
  const callback = await approveAuthorization(redirect.headers.get("location") ?? "");
  const cookie = redirect.headers
    .getSetCookie()
    .map((text) => text.split(";", 1)[0])
    .join("; ");
  const page = await fetch(callback, { headers: { cookie } });
  expect(page.status).toBe(200);
}

async function recordsAreThere(api: Api, connectionId: string): Promise<void> {
  const headers = { "provider-config-key": "crm", "connection-id": connectionId };
  const count = async () => {
    const page = await api("GET", "/records?model=Contact&limit=1000", { headers });
    return page.body.records.length;
  };
  await expect.poll(count, { timeout: 30_000, interval: 200 }).toBe(250);
}
