import type { Provider } from "@jackfield/catalogue";
import type { RunFacts, RuntimeMethod } from "@jackfield/contract/runtime";
import { createSvc } from "../../packages/functions/src/runtime/create-svc.ts";
import {
  type RuntimeAnswer,
  type RuntimeChannel,
  startRun,
} from "../../packages/functions/src/runtime/run.ts";
import { getCachedConnectionForCall } from "../../packages/server/src/connections/index.ts";
import type { EnvironmentContext } from "../../packages/server/src/foundation/index.ts";
import { paginationOf } from "../../packages/server/src/integrations/index.ts";
import { proxyRuntime } from "../../packages/server/src/proxy/index.ts";
import { openEgress } from "../../packages/server/src/slice/testing/index.ts";
import { wrapsItems } from "../../packages/simulator/src/vendor/samples/sample-data.ts";

// What the vendor has (COLLECTION_SIZE), in pages of ten.
const ITEMS = 25;

/** What is wrong with `svc.paginate` by the entry alone, as a function of the connection calls it. */
export async function findPagingFault(
  ctx: EnvironmentContext,
  entry: Provider,
  { integrationKey, connectionId }: { integrationKey: string; connectionId: string },
): Promise<string | undefined> {
  // A key in the body needs calls with one, whose pages are asked for in the body as well.
  if (entry.pagination === undefined || JSON.stringify(entry).includes('"text":"body"')) return;
  const { connection, integration } = await getCachedConnectionForCall(ctx, {
    integrationKey,
    connectionId,
  });
  const channel: RuntimeChannel = {
    call: async (method, params, body = new Uint8Array()) => {
      if (method !== "proxy") throw new Error(`the run calls ${method}`);
      const run = { connection: connection.uuid, egress: openEgress };
      const answer = await proxyRuntime.proxy(ctx, { run, params: asProxyCall(params), body });
      return asAnswer({ value: answer.value, body: answer.body });
    },
  };
  const facts = { ...defaults, connectionId, providerConfigKey: integrationKey };
  const run = startRun({
    facts: { ...facts, provider: entry.id, pagination: paginationOf(integration) },
    channel,
    schemas: { models: {} },
    nowMs: () => Date.now(),
  });
  const seen = new Set<unknown>();
  let pages = 0;
  // Where the entry names no place for the items, since each list has its own, the function does.
  const { response_path: path } = entry.pagination;
  const paginate =
    path === undefined && wrapsItems(entry.pagination) ? { response_path: "items" } : {};
  for await (const page of createSvc(run).paginate({ endpoint: "/sample/things", paginate })) {
    pages += 1;
    for (const item of page) seen.add(item instanceof Object ? Reflect.get(item, "id") : item);
  }
  if (seen.size === ITEMS && pages === 3) return;
  return `${pages} pages with ${seen.size} items instead of 3 with ${ITEMS}`;
}

const off = "off";

const defaults: Omit<RunFacts, "connectionId" | "providerConfigKey" | "provider"> = {
  kind: "sync",
  functionName: "things",
  environmentName: "dev",
  environmentId: "e",
  variant: "base",
  operationId: "op",
  loggerLevel: "info",
  validation: { input: off, output: off, records: off, metadata: off, checkpoint: off },
  outputLimitBytes: 1000,
};

// The run has built them for this very method.
function asProxyCall(params: unknown): Parameters<typeof proxyRuntime.proxy>[1]["params"] {
  return params as Parameters<typeof proxyRuntime.proxy>[1]["params"];
}

function asAnswer<Method extends RuntimeMethod>(answer: {
  value: unknown;
  body: Uint8Array;
}): RuntimeAnswer<Method> {
  return answer as RuntimeAnswer<Method>;
}
