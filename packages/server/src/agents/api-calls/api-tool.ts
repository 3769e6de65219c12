import { getCachedConnectionForCall } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { changesSomething } from "#functions";
import { findCachedIntegrationById, findProviderOf, type Integration } from "#integrations";
import { findPathBelowBase } from "#proxy";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import { sendRequest } from "../provider-calls/send-request.ts";
import { invalidInput, RefusedCall } from "../sources/refused-call.ts";
import type { ReadTool, ToolRun } from "../sources/tool-source.ts";
import type { ApiSelection, Effect } from "../toolsets/toolset.ts";
import { type ApiInput, describeApiInput, readApiInput, toBody, toPairs } from "./api-input.ts";
import { allowsRequest, toParts } from "./path-rules.ts";

const MOST_SHOWN = 12;

/** The tool that sends any request that the toolset allows; undefined where it allows none. */
export async function readApiTool(
  ctx: EnvironmentContext,
  { integrationId, effect: strictest, rules = [] }: CatalogueTool,
): Promise<ReadTool | undefined> {
  const integration = await findCachedIntegrationById(ctx, integrationId);
  const [first] = rules;
  if (integration === undefined || first === undefined) return undefined;
  const methods = [...new Set(first.allow.flatMap((rule) => rule.methods))];
  const isReading = methods.every((method) => method === "GET" || method === "HEAD");
  const writes = findProviderOf(integration)?.effects?.writes ?? [];
  const effect = isReading && writes.length === 0 ? "read" : strictest;
  return {
    description: describe(integration, first),
    hints: { title: `Call the API of ${nameOf(integration)}`, effect, untrustedOutput: true },
    inputSchema: describeApiInput(methods),
    ...{ outputSchema: undefined, wrapping: "object", digest: JSON.stringify(rules) },
    effectOf: (input) => effectOfCall(integration, input),
    run: async (ctx, run) => await callApi(ctx, rules, run),
  };
}

function nameOf({ displayName, uniqueKey }: Integration): string {
  return displayName ?? uniqueKey;
}

function describe(integration: Integration, { allow, deny = [] }: ApiSelection): string {
  const docs = findProviderOf(integration)?.docs;
  const shown = (rules: ApiSelection["allow"]) =>
    rules
      .flatMap(({ methods, paths }) => paths.map((path) => `${methods.join("|")} ${path}`))
      .slice(0, MOST_SHOWN)
      .join(", ");
  return [
    `Sends one request to the API of ${nameOf(integration)} with the user's credentials.`,
    `Allowed: ${shown(allow)}.`,
    ...(deny.length === 0 ? [] : [`Not allowed: ${shown(deny)}.`]),
    ...(docs === undefined ? [] : [`Documentation: ${docs}`]),
  ].join(" ");
}

/** By the method, and by what the provider's entry knows of requests that read or write all the same. */
export function effectOfCall(integration: Integration, given: unknown): Effect {
  const { method, path, query } = { ...Object(given) };
  if (method === "DELETE") return "destructive";
  const params = { method, endpoint: path, query: Object.entries({ ...Object(query) }) };
  const own = {
    integrationKey: integration.uniqueKey,
    effects: findProviderOf(integration)?.effects,
  };
  const body = Buffer.from(JSON.stringify(Object(given).body ?? "") ?? "");
  return changesSomething({ method: "proxy", params, body }, own) ? "write" : "read";
}

async function callApi(
  ctx: EnvironmentContext,
  rules: readonly ApiSelection[],
  run: ToolRun,
): Promise<Uint8Array> {
  const input = readApiInput(run.input);
  const { integrationKey, connectionId } = run;
  const found = await getCachedConnectionForCall(ctx, { integrationKey, connectionId });
  const path = await findPath(ctx, found, input);
  const parts = toParts(path);
  if (parts === undefined) {
    throw invalidInput(
      "path: can be read in several ways; leave out dots, backslashes, `;`, empty parts and encoded slashes",
    );
  }
  const { method } = input;
  if (!rules.every((each) => allowsRequest(each, { method, parts }))) {
    throw new RefusedCall({
      ...{ code: "policy_denied", message: `The toolset does not allow ${method} ${path}.` },
      next: "Nothing was sent. Do not try it in another way. Tell the user.",
    });
  }
  // As it was given: the same code then sends it where the rules were looked up.
  const request = { method, path: input.path, query: toPairs(input), ...toBody(input) };
  return await sendRequest(ctx, run, request);
}

/** As it is sent, below the base address: the rules are about that. */
async function findPath(
  ctx: EnvironmentContext,
  found: Parameters<typeof findPathBelowBase>[1],
  { path }: ApiInput,
): Promise<string> {
  if (!path.startsWith("/")) throw invalidInput("path: has to begin with /");
  return await findPathBelowBase(ctx, found, path).catch((error: unknown) => {
    throw invalidInput(`path: ${error instanceof Error ? error.message : "cannot be sent"}`);
  });
}
