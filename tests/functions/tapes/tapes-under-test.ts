import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, vi } from "vitest";
import { replayTape, type TapeReplay } from "../../../packages/cli/src/replay/replay-tape.ts";
import type { TapeFile } from "../../../packages/contract/src/logs/tape-file.ts";
import { createSandbox } from "../../../packages/server/src/foundation/sandbox/index.ts";
import { seedRunnerFile } from "../../../packages/server/src/foundation/sandbox/testing/index.ts";
import { type ApiUnderTest, startApi } from "../../api/api-under-test.ts";
import { type Api, apiOf } from "../../journeys/api.ts";

export type FunctionKind = "sync" | "action" | "on-event";

type Replaying = Partial<Parameters<typeof replayTape>[3]>;

/** A server whose runs are recorded, a provider of its own, and a sandbox in which their tapes are replayed. */
export interface TapesUnderTest extends AsyncDisposable {
  readonly api: ApiUnderTest;
  readonly call: Api;
  /** What the provider answers; by default what it was asked. */
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
  readonly asked: string[];
  /** Address of the provider. */
  readonly url: string;
  /** Deploys a function whose `exec` has this body; `svc` and `input` are in scope. */
  deploy(name: string, kind: FunctionKind, body: string): Promise<void>;
  record(name: string, rule: object, type?: FunctionKind): Promise<void>;
  trigger(name: string, input?: unknown): Promise<Awaited<ReturnType<Api>>>;
  /** The newest tape of a function, once there are so many. */
  tapeOf(name: string, count?: number): Promise<TapeFile>;
  replay(
    tape: TapeFile,
    kind: FunctionKind,
    body: string,
    options?: Replaying,
  ): Promise<TapeReplay>;
}

export const CANARY = "canary-credential-5f2c9e81";
export const caller = { "provider-config-key": "crm", "connection-id": "acme" };

/** CommonJS text of a function; `before` stands outside of it. */
export function bundleOf(kind: FunctionKind, body: string): string {
  const [before, exec = ""] = body.includes("//---") ? body.split("//---") : ["", body];
  return `const any = { safeParse: (data) => ({ success: true, data }), safeParseAsync: async (data) => ({ success: true, data }) };
${before}
module.exports.default = { type: ${JSON.stringify(kind)}, input: any, output: any, models: { Contact: any }, exec: async (svc, input) => { ${exec} } };`;
}

export async function startTapes(): Promise<TapesUnderTest> {
  await using stack = new AsyncDisposableStack();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push(`${request.method} ${request.url}`);
      made.answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stack.defer(() => void server.close());
  stack.defer(() => server.closeAllConnections());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const api = stack.use(await startApi());
  const call = apiOf(api.url, await api.keyOf("dev", ["environment:*"]));
  const dataDir = await mkdtemp(join(tmpdir(), "tapes-"));
  stack.defer(async () => await rm(dataDir, { recursive: true, force: true }));
  await seedRunnerFile(dataDir);
  const sandbox = stack.use(await createSandbox({ dataDir, log: () => {} }));
  const url = `http://127.0.0.1:${port}`;
  await ok(call, "POST", "/integrations", {
    ...{ provider: "private-api-bearer", unique_key: "crm" },
    integration_config: { base_url: url },
  });
  await ok(call, "POST", "/connections", {
    ...{ provider_config_key: "crm", connection_id: "acme" },
    credentials: { type: "API_KEY", apiKey: CANARY },
  });
  const running = stack.move();
  const made: TapesUnderTest = {
    ...{ api, call, asked, url },
    answer: (request, response, body) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ method: request.method, path: request.url, body }));
    },
    deploy: async (name, kind, body) => {
      const fileBody = { js: bundleOf(kind, body), ts: body };
      const flow = {
        ...{ type: kind, syncName: name, providerConfigKey: "crm", fileBody },
        ...{ models: kind === "sync" ? ["Contact"] : [], auto_start: false },
        runs: kind === "sync" ? "every hour" : null,
        ...(kind === "sync" && {
          models_json_schema: { definitions: { Contact: { type: "object" } } },
        }),
      };
      const event = "post-connection-creation";
      const upload =
        kind === "on-event"
          ? {
              flowConfigs: [],
              onEventScriptsByProvider: [
                { providerConfigKey: "crm", scripts: [{ name, event, fileBody }] },
              ],
            }
          : { flowConfigs: [flow] };
      await ok(call, "POST", "/sync/deploy", { reconcile: false, ...upload });
    },
    record: async (name, rule, type) => {
      const query = type === undefined ? "" : `?type=${type}`;
      await ok(call, "PUT", `/integrations/crm/functions/${name}/tape-rule${query}`, rule);
    },
    trigger: async (name, input) =>
      await call("POST", "/action/trigger", {
        headers: caller,
        body: { action_name: name, ...(input !== undefined && { input }) },
      }),
    tapeOf: async (name, count = 1) =>
      await vi.waitFor(
        async () => {
          const { body } = await call("GET", `/tapes?function=${name}&limit=100`);
          expect(body.data.length).toBeGreaterThanOrEqual(count);
          const tape = await call("GET", `/operations/${body.data[0].operation_id}/tape`);
          expect(tape.status).toBe(200);
          return tape.body.data;
        },
        { timeout: 20_000, interval: 50 },
      ),
    replay: async (tape, kind, body, options = {}) => {
      const code = bundleOf(kind, body);
      const sha256 = createHash("sha256").update(code).digest("hex");
      const fn = {
        ...{ functionName: tape.function.name, integrationId: "crm" },
        bundle: { code, sha256, sourceMap: "", source: "" },
      };
      return await replayTape(sandbox, fn as never, tape, { onUnknown: "stop", ...options });
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
  return made;
}

async function ok(call: Api, method: string, path: string, body: object): Promise<void> {
  const answer = await call(method, path, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}
