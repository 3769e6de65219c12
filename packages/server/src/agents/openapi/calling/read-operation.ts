import { AppError, type EnvironmentContext } from "#foundation";
import { changesSomething } from "#functions";
import { findCachedIntegrationById, findProviderOf } from "#integrations";
import type { CatalogueTool } from "../../catalogue/catalogue-tool.ts";
import { type AgentRequest, sendRequest } from "../../provider-calls/send-request.ts";
import { RefusedCall } from "../../sources/refused-call.ts";
import type { ReadTool, ToolRun } from "../../sources/tool-source.ts";
import { type CallableOperation, findOperation } from "../storing/store.ts";
import { buildRequest } from "./build-request.ts";
import { checkInput } from "./check-input.ts";

const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT", "DELETE"]);

/** An operation of the integration's document as a tool; undefined when it has just gone. */
export async function readOperation(
  ctx: EnvironmentContext,
  { integrationId, action: name, effect }: CatalogueTool,
): Promise<ReadTool | undefined> {
  const found = await findOperation(ctx.db, ctx.environment.id, { integrationId, name });
  if (found === undefined) return undefined;
  const isIdempotent = idempotent.has(found.request.method);
  return {
    description: found.description,
    hints: {
      ...{ effect, title: found.title, untrustedOutput: true },
      ...(isIdempotent ? { idempotent: true } : {}),
    },
    inputSchema: { ...found.inputSchema, type: "object" },
    ...{ outputSchema: undefined, wrapping: "object", digest: found.digest.toString("hex") },
    run: async (ctx, run) => await callOperation(ctx, { integrationId, found, effect }, run),
  };
}

async function callOperation(
  ctx: EnvironmentContext,
  of: Pick<CatalogueTool, "integrationId" | "effect"> & { readonly found: CallableOperation },
  run: ToolRun,
): Promise<Uint8Array> {
  const { inputSchema: schema, digest, request: plan } = of.found;
  await checkInput(ctx, { schema, digest: digest.toString("hex"), input: run.input });
  const request = buildRequest(plan, { ...Object(run.input) });
  await requireEffect(ctx, of, request);
  return await sendRequest(ctx, run, request);
}

/** What is said to read by its method alone, may not be a request that changes something all the same. */
async function requireEffect(
  ctx: EnvironmentContext,
  {
    integrationId,
    effect,
    found,
  }: Pick<CatalogueTool, "integrationId" | "effect"> & { readonly found: CallableOperation },
  { method, path, query, headers, body }: AgentRequest,
): Promise<void> {
  if (effect !== "read" || found.isEffectGiven) return;
  const integration = await findCachedIntegrationById(ctx, integrationId);
  if (integration === undefined) throw new AppError("not_found", "The integration has gone.");
  const own = {
    integrationKey: integration.uniqueKey,
    effects: findProviderOf(integration)?.effects,
  };
  const params = { method, endpoint: path, query, headers };
  const call = { method: "proxy", params, body: body ?? new Uint8Array() };
  if (!changesSomething(call, own)) return;
  throw new RefusedCall({
    ...{ code: "effect_violation", message: `${method} ${path} changes something.` },
    next: "Use a tool that may write, or report it to the user.",
  });
}
