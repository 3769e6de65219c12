import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createKey, readConfig } from "@jackfield/server";
import pg from "pg";
import { startEmbeddedPostgres } from "../../packages/server/src/foundation/embedded-postgres/index.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";

/** A Postgres of its own that can be restarted, one API process, and any number of workers on it. */
export interface Installation extends AsyncDisposable {
  readonly workers: PlatformProcess[];
  readonly api: Api;
  readonly apiProcess: PlatformProcess;
  /** Of environment `dev`, for calls that `api` does not make. */
  readonly key: string;
  /** A key of environment `prod`, and calls with it. */
  openProduction(): Promise<Api>;
  startWorker(env?: Readonly<Record<string, string>>): Promise<PlatformProcess>;
  /** SIGKILL, and another in its place. */
  killApi(): Promise<void>;
  killWorker(place: number): Promise<void>;
  /** SIGQUIT of the database, which drops what was not committed; up again after a while. */
  restartPostgres(downMs: number): Promise<void>;
  /** Repeated until the database answers. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface InstallationOptions {
  readonly workers: number;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeDataFolder());
  const postgresFolder = stack.use(await makeDataFolder());
  const postgresOptions = { dataDir: postgresFolder.path, log: () => {} };
  let postgres = await startEmbeddedPostgres(postgresOptions);
  stack.defer(async () => await postgres.stop());
  const { connectionString } = postgres;
  const pool = new pg.Pool({ connectionString, max: 2, connectionTimeoutMillis: 5000 });
  pool.on("error", () => undefined);
  stack.defer(async () => await pool.end());
  const key = randomUUID();
  const common = {
    SVC_DATABASE_URL: connectionString,
    SVC_BOOTSTRAP_KEY: key,
    SVC_LOG_LEVEL: "error",
    ...options.env,
  };
  const start = async (roles: string, env: Readonly<Record<string, string>> = {}) =>
    await startPlatformProcess({
      dataDir: folder.path,
      env: { ...common, SVC_ROLES: roles, ...env },
    });
  let apiProcess = await start("api");
  stack.defer(async () => void (await apiProcess.stop()));
  const workers: PlatformProcess[] = [];
  stack.defer(async () => {
    for (const worker of workers) await worker.kill();
  });
  while (workers.length < options.workers) workers.push(await start("worker"));
  const running = stack.move();
  return {
    workers,
    key,
    api: async (...call) => await apiOf(apiProcess.url, key)(...call),
    get apiProcess() {
      return apiProcess;
    },
    async openProduction() {
      const { config, problems } = readConfig({ ...common, SVC_DATA_DIR: folder.path });
      if (config === undefined) throw new Error(problems.join("\n"));
      const wanted = { environment: "prod", displayName: "prod", scopes: ["environment:*"] };
      const made = await createKey(config, wanted);
      return async (...call) => await apiOf(apiProcess.url, made.key)(...call);
    },
    async startWorker(env) {
      const worker = await start("worker", env);
      workers.push(worker);
      return worker;
    },
    async killApi() {
      await apiProcess.kill();
      apiProcess = await start("api");
    },
    async killWorker(place) {
      await workers[place]?.kill();
      workers[place] = await start("worker");
    },
    async restartPostgres(downMs) {
      process.kill(postgres.processId, "SIGQUIT");
      await postgres.stop();
      await sleep(downMs);
      postgres = await startEmbeddedPostgres(postgresOptions);
    },
    async query(text, values = []) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return (await pool.query(text, [...values])).rows;
        } catch (error) {
          if (attempt === 20) throw error;
          await sleep(500);
        }
      }
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

const any = `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };`;

/** An upload of a sync `rows` of model Row, and of an action `greet` that says hello to its input. */
export function newUpload(exec: string, runs: string): object {
  const common = { providerConfigKey: "crm", version: "1" };
  const sync = `${any} module.exports.default = { type: "sync", models: { Row: any }, exec: async (svc) => { ${exec} } };`;
  const action = `${any} module.exports.default = { type: "action", input: any, output: any, exec: async (svc, input) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { hello: input };
  } };`;
  const row = { definitions: { Row: { type: "object" } } };
  return {
    reconcile: true,
    flowConfigs: [
      {
        ...common,
        type: "sync",
        syncName: "rows",
        models: ["Row"],
        runs,
        auto_start: true,
        models_json_schema: row,
        fileBody: { js: sync, ts: "" },
      },
      {
        ...common,
        type: "action",
        syncName: "greet",
        models: [],
        runs: null,
        fileBody: { js: action, ts: "" },
      },
    ],
  };
}

/** Makes connections `c-1` to `c-<count>` of an integration `crm` in the environment of the calls. */
export async function addConnections(
  { query }: Pick<Installation, "query">,
  api: Api,
  { environment, count }: { environment: "dev" | "prod"; count: number },
): Promise<void> {
  await api("POST", "/integrations", { body: { provider: "unauthenticated", unique_key: "crm" } });
  await query(
    `insert into connections (uuid, environment_id, integration_id, connection_id, auth_mode, credentials, created_at, updated_at)
     select gen_random_uuid(), i.environment_id, i.id, 'c-' || n, 'NONE', ''::bytea, now(), now()
       from integrations i join environments e on e.id = i.environment_id, generate_series(1, $2::int) as n
      where e.name = $1`,
    [environment, count],
  );
}
