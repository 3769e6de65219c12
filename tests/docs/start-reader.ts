import { chmod, mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type Api, apiOf } from "../journeys/api.ts";
import { commandLineArgs } from "../launcher/command-line-bundle.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import type { Outcome, Reader } from "./run-page.ts";

/** The server that a page has its reader start, with its embedded database. */
export interface DocsServer extends AsyncDisposable {
  readonly platform: PlatformProcess;
  readonly dataDir: string;
  /** Calls with the account's key. */
  readonly account: Api;
}

export async function startDocsServer(): Promise<DocsServer> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeDataFolder());
  const platform = await startPlatformProcess({ dataDir: folder.path });
  stack.defer(async () => {
    await platform.stop();
  });
  const cleanUp = stack.move();
  return {
    platform,
    dataDir: folder.path,
    account: apiOf(platform.url, platform.keys.get("account") ?? ""),
    [Symbol.asyncDispose]: async () => await cleanUp.disposeAsync(),
  };
}

export interface PageReader extends Reader, AsyncDisposable {
  /** Calls with the key of the reader's environment. */
  readonly api: Api;
  /** The name of that environment, which no other page uses. */
  readonly environment: string;
}

/** A reader in an empty folder, with an environment of the page's own and the command `jackfield`. */
export async function startReader(
  { platform, account }: DocsServer,
  page: string,
  change: Pick<Partial<Reader>, "env" | "replace" | "before"> = {},
): Promise<PageReader> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "jackfield-docs-"))).path;
  const commands = stack.use(await mkdtempDisposable(join(tmpdir(), "jackfield-bin-"))).path;
  // As root the embedded database runs as another user, who has to get through.
  await chmod(folder, 0o711);
  await writeCommand(commands, "jackfield", `exec "${process.execPath}" ${nodeArguments} "$@"`);
  // What a registry would bring is this checkout's command.
  await writeCommand(
    commands,
    "npx",
    `[ "$1" = jackfield ] || { echo "npx $1: unknown" >&2; exit 127; }; exec "$@"`,
  );
  const name = page.replaceAll(/[^a-z]+/g, "-").slice(0, 30);
  const created = await account("POST", "/environments", { body: { name } });
  const { secret } = created.body.data.api_key;
  const cleanUp = stack.move();
  return {
    folder,
    environment: name,
    api: apiOf(platform.url, secret),
    env: {
      PATH: `${commands}:/usr/local/bin:/usr/bin:/bin`,
      HOME: folder,
      SVC_HOSTPORT: platform.url,
      SVC_SECRET_KEY_DEV: secret,
      SVC_SECRET_KEY_ACCOUNT: platform.keys.get("account") ?? "",
      ...change.env,
    },
    replace: change.replace ?? ((text) => text),
    ...(change.before === undefined ? {} : { before: change.before }),
    [Symbol.asyncDispose]: async () => await cleanUp.disposeAsync(),
  };
}

const nodeArguments = commandLineArgs()
  .map((argument) => `"${argument}"`)
  .join(" ");

async function writeCommand(folder: string, name: string, line: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

/** Each command ended well, and answered what the page shows; `…` stands for any text. */
export function expectShown(outcomes: readonly Outcome[]): void {
  const failed = outcomes
    .filter(({ code }) => code !== 0)
    .map(({ block, output, complaints }) => `${block.text}\n${output}${complaints}`);
  expect(failed).toEqual([]);
  for (const { shown, output } of outcomes) {
    if (shown !== undefined) expect(readAnswer(output)).toMatchObject(Object(withAnyText(shown)));
  }
}

/** JSON, by itself or as the first event of a stream. */
function readAnswer(output: string): unknown {
  const [, event] = /^data: (.*)$/m.exec(output) ?? [];
  return JSON.parse(event ?? output);
}

function withAnyText(shown: unknown): unknown {
  return JSON.parse(JSON.stringify(shown), (_, value: unknown) =>
    value === "…" ? expect.any(String) : value,
  );
}
