import { bytesOfTokens, changesSomething } from "#functions";
import { findProviderOf, type Integration } from "#integrations";
import { API_ACTION } from "../api-calls/api-action.ts";
import type { ListedOperation } from "../openapi/storing/store.ts";
import type { Effect } from "../toolsets/toolset.ts";
import type { CatalogueTool } from "./catalogue-tool.ts";
import { toolNameOf } from "./tool-name.ts";

/** About what the tool that sends any request takes in a model's context. */
const API_TOKENS = 250;
const NOTHING = new Uint8Array();

/** An operation of a document: nobody of the customer's has looked at what it answers. */
export function describeOperation(row: ListedOperation, integration: Integration): CatalogueTool {
  const { id: integrationId, uniqueKey } = integration;
  const effect = effectOf(row, integration);
  return {
    ...{ source: "operation", name: toolNameOf(uniqueKey, row.name), integration: uniqueKey },
    ...{ action: row.name, integrationId, title: row.title, summary: row.summary },
    ...{ effect, sends: effect !== "read", isUntrusted: true, asks: false, isResource: false },
    ...{ signature: row.signature, tokens: tokensOf(row) },
  };
}

export function tokensOf({ bytes }: Pick<ListedOperation, "bytes">): number {
  return Math.ceil((bytes * 1000) / bytesOfTokens(1000));
}

/** By the method, unless somebody has said it, or the provider's entry knows better. */
export function effectOf(
  { effect, isEffectGiven, method, path }: ListedOperation,
  integration: Integration,
): Effect {
  if (isEffectGiven || effect === "destructive") return effect;
  const own = {
    integrationKey: integration.uniqueKey,
    effects: findProviderOf(integration)?.effects,
  };
  const call = { method: "proxy", params: { method, endpoint: path, query: [] }, body: NOTHING };
  return changesSomething(call, own) ? "write" : "read";
}

/** The tool that sends any request; which ones, and what they may do, a session's toolset says. */
export function describeApi({ id, uniqueKey, displayName }: Integration): CatalogueTool {
  const name = displayName ?? uniqueKey;
  return {
    ...{ source: "api", name: toolNameOf(API_ACTION, uniqueKey), integration: uniqueKey },
    ...{ action: API_ACTION, integrationId: id, title: `Call the API of ${name}` },
    summary: `Sends one request to the API of ${name} with the user's credentials, where no other tool does.`,
    ...{ effect: "write", sends: true, isUntrusted: true, asks: false, isResource: false },
    signature:
      "(input: { method: string; path: string; query?: {}; body?: unknown; content_type?: string })",
    tokens: API_TOKENS,
  };
}
