import type { DevChoice, DevRun } from "@jackfield/contract";
import { readProjectSettings } from "../config.ts";
import { readJsonOption } from "../dryrun/read-json-option.ts";
import { needsServer } from "../load-server.ts";
import { openBrowser } from "../platform/open-browser.ts";
import type { ProjectBuild } from "../project/project-build.ts";
import { listFunctionFiles, selectFunction } from "../project/select-function.ts";
import type { DevSession } from "./dev-session.ts";

export interface DevPageOptions {
  readonly environment: string;
  readonly dryrun?: string;
  readonly integration?: string;
  readonly connection?: string;
  readonly input?: string;
  readonly webhook?: true;
  readonly port?: string;
  readonly open?: boolean;
}

export interface DevPage extends AsyncDisposable {
  readonly session: DevSession;
}

/** A session with its page in the browser; the link is also printed. */
export async function openDevPage(
  projectDir: string,
  build: ProjectBuild,
  options: DevPageOptions,
): Promise<DevPage> {
  const settings = readProjectSettings(projectDir);
  const { environment } = options;
  const platform = { host: settings.host, key: settings.requireSecretKey(environment) };
  const { openLocalSandbox } = await needsServer(import("../dryrun/run-locally.ts"));
  const { DevSession } = await import("./dev-session.ts");
  const { startDevServer } = await import("./dev-server.ts");
  const choice = await toChoice(projectDir, options);
  await using opening = new AsyncDisposableStack();
  const sandbox = opening.use(await openLocalSandbox(projectDir));
  const session = new DevSession({
    ...{ projectDir, environment, platform, sandbox, build, choice },
    onRun: (run) => console.log(presentLine(run)),
  });
  const port = options.port === undefined ? undefined : Number(options.port);
  const server = opening.use(await startDevServer(session, platform, port));
  const isOpened =
    options.open !== false && settings.isInteractive && (await openBrowser(server.url));
  console.log(`${isOpened ? "The page is open in your browser" : "Open"}: ${server.url}`);
  const opened = opening.move();
  return { session, [Symbol.asyncDispose]: async () => await opened.disposeAsync() };
}

async function toChoice(
  projectDir: string,
  { dryrun: name, integration, connection, input, webhook }: DevPageOptions,
): Promise<DevChoice | undefined> {
  if (name === undefined) return undefined;
  const { file } = selectFunction(await listFunctionFiles(projectDir), { name, integration });
  return {
    file,
    ...(connection !== undefined && { connection }),
    ...(webhook === true && { kind: "webhook" }),
    ...(input !== undefined && { input: readJsonOption("--input", input) }),
  };
}

function presentLine({ file, isGood, tookMs, sinceSaveMs }: DevRun): string {
  const since = sinceSaveMs === undefined ? "" : `, ${sinceSaveMs} ms after the change`;
  return `${file.replace(/\.ts$/, "")} ${isGood ? "ran" : "failed"} in ${tookMs} ms${since}`;
}
