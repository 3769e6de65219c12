import { type RequestOptions, request } from "node:http";
import {
  AppError,
  type Environment,
  type EnvironmentContext,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { createIntegration, type Integration, type IntegrationInput } from "#integrations";
import type { DueWork } from "#tasks";
import { type TestApp, testApp } from "#testing";
import { createInboxWork } from "../inbox/inbox-work.ts";
import { webhooksIn } from "../slice.ts";
import { setPrimaryUrl } from "./store.ts";

export interface TestRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Several parts are sent chunked. */
  readonly body?: string | Buffer | readonly (string | Buffer)[];
  /** With its question mark. */
  readonly query?: string;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly bytes: Buffer;
}

/** The webhook routes on a real port; keys are names of environments. */
export interface InboxServer extends AsyncDisposable {
  readonly app: TestApp;
  readonly url: string;
  /** As its workers have it. */
  readonly outside: SystemContext;
  /** What `handle` drives. */
  readonly work: DueWork;
  /** An environment whose forwards are queued. */
  environment(): Promise<EnvironmentContext>;
  /** One that is there already. */
  enter(environment: Environment): EnvironmentContext;
  integration(
    ctx: EnvironmentContext,
    provider: string,
    change?: Partial<IntegrationInput>,
  ): Promise<Integration>;
  /** Path of the integration's address. */
  pathOf(integration: Integration): string;
  send(path: string, sent?: TestRequest): Promise<TestAnswer>;
  /** Handles what waits; resolves to how many batches there were. */
  handle(): Promise<number>;
}

export async function startInboxServer(
  settings: Partial<EnvironmentContext["settings"]> = {},
): Promise<InboxServer> {
  const environments = new Map<string, EnvironmentContext>();
  const app = await testApp({
    slices: [webhooksIn],
    settings,
    caller: async ({ request, route, signal }, { ctx }) => {
      const { environment: _environment, ...outside } = ctx;
      if (route.principals.includes("public")) return { ...outside, signal };
      const caller = environments.get(request.headers.authorization ?? "");
      if (caller === undefined) throw new AppError("missing_auth_header");
      return { ...caller, signal };
    },
  });
  const { environment: _environment, ...outside } = app.ctx;
  const url = await app.listen();
  const port = Number(new URL(url).port);
  const work = createInboxWork();
  const enter = (environment: Environment) => {
    const ctx = withEnvironment(app.ctx, environment);
    environments.set(environment.name, ctx);
    return ctx;
  };
  return {
    app,
    url,
    outside,
    work,
    enter,
    async environment() {
      const ctx = enter((await app.addEnvironment()).environment);
      await setPrimaryUrl(ctx, "http://127.0.0.1:9/forwards");
      return ctx;
    },
    async integration(ctx, provider, change = {}) {
      return await createIntegration(ctx, {
        provider,
        uniqueKey: provider,
        displayName: undefined,
        forwardWebhooks: true,
        credentials: undefined,
        integrationConfig: {},
        custom: {},
        settings: {},
        ...change,
      });
    },
    pathOf: ({ environmentId, uniqueKey }) => `/webhook/${environmentId}/${uniqueKey}`,
    send: async (path, sent = {}) => await sendTo(port, path, sent),
    async handle() {
      let count = 0;
      for (;;) {
        const { claimed } = await work.claim(outside, () => {});
        await work.drain?.();
        if (claimed === 0) return count;
        count += claimed;
      }
    },
    [Symbol.asyncDispose]: async () => await app[Symbol.asyncDispose](),
  };
}

async function sendTo(port: number, path: string, sent: TestRequest): Promise<TestAnswer> {
  const { method = "POST", headers = {}, body = "", query = "" } = sent;
  const parts: readonly (string | Buffer)[] =
    typeof body === "string" || Buffer.isBuffer(body) ? [body] : body;
  const isWhole = typeof body === "string" || Buffer.isBuffer(body);
  const length = isWhole ? { "content-length": Buffer.byteLength(body) } : {};
  const options: RequestOptions = {
    host: "127.0.0.1",
    port,
    method,
    path: path + query,
    headers: { ...length, ...headers },
  };
  return await new Promise((resolve, reject) => {
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode = 0 } = response;
        const bytes = Buffer.concat(chunks);
        const { headers: answered } = response;
        resolve({ status: statusCode, headers: answered, body: bytes.toString(), bytes });
        outgoing.destroy();
      });
    });
    outgoing.on("error", reject);
    for (const part of parts) outgoing.write(part);
    outgoing.end();
  });
}
