import {
  type Identity,
  type Provider,
  renderOptional,
  renderTemplate,
  type TemplateValues,
} from "@jackfield/catalogue";
import { placeOf, type Received, readFields, toPlace } from "../exchange/received.ts";
import { type Reply, replyJson, setPath } from "../exchange/write-answer.ts";
import { notePassed, type VendorState } from "../vendor-state.ts";
import { callValues } from "./after-connect.ts";
import { checkCall } from "./api-call.ts";
import { flatten, wantedOfAll, wantedOfJson } from "./expect-fields.ts";

const names = ["email", "id", "label", "workspace"] as const;

/** Whose account the simulated vendor says that a connection is, by the entry's own names. */
export function sampleAccount({ id, identity }: Provider): Record<string, string> {
  const values = {
    id: `account-of-${id}`,
    label: `Ada of ${id}`,
    email: `ada@${id.replaceAll("_", "-")}.example`,
    workspace: `Workspace of ${id}`,
  };
  // Where one field of an answer is two of ours, the first of these names says what it holds.
  const reported = new Map<string, string>();
  return Object.fromEntries(
    names.flatMap((name) => {
      const path = identity?.[name]?.[0];
      if (path === undefined) return [];
      const value = reported.get(path) ?? values[name];
      reported.set(path, value);
      return [[name, value]];
    }),
  );
}

/** What the vendor answers to the question whose account it is; undefined for another request. */
export function findAccountAnswer(
  { provider, ...state }: VendorState,
  received: Received,
): Record<string, unknown> | undefined {
  const { identity } = provider;
  if (identity === undefined) return undefined;
  const values = callValues({ provider, ...state }, received);
  if (!isAsked(provider, identity, { received, values })) return undefined;
  const account = sampleAccount(provider);
  const answer: Record<string, unknown> = {};
  for (const name of names) {
    const path = identity[name]?.[0];
    if (path !== undefined) setPath(answer, path, account[name]);
  }
  return answer;
}

/** Checks a request that asks nothing else than whose account it is. */
export function answerIdentity(state: VendorState, received: Received): Reply {
  const headers = state.provider.identity?.headers ?? {};
  const ownHeaders = wantedOfAll(headers, callValues(state, received));
  checkCall(state, received, { stage: "identity", ownHeaders });
  notePassed(state, "identity");
  return replyJson({});
}

/** The answer with the account next to what it holds. */
export function withAccount(reply: Reply, account: Readonly<Record<string, unknown>>): Reply {
  if (reply.status !== 200 || typeof reply.body !== "string") return reply;
  return replyJson(merge(account, JSON.parse(reply.body)));
}

/** Where both have a value, that of `over`. */
function merge(under: unknown, over: unknown): unknown {
  if (!isTree(under) || !isTree(over)) return over ?? under;
  const keys = new Set([...Object.keys(under), ...Object.keys(over)]);
  const merged = Object.fromEntries(
    [...keys].map((key) => [key, merge(Reflect.get(under, key), Reflect.get(over, key))]),
  );
  return Array.isArray(under) ? Object.values(merged) : merged;
}

function isTree(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

interface Asked {
  readonly received: Received;
  readonly values: TemplateValues;
}

function isAsked(provider: Provider, identity: Identity, { received, values }: Asked): boolean {
  if (identity.method !== received.method) return false;
  const address = findAddress(provider, identity, values);
  if (address === undefined) return false;
  const { pathname, searchParams } = new URL(address);
  const isThere = toPlace(address) === placeOf(received);
  if (!isThere && !(hasKeyInPath(provider) && received.path.endsWith(pathname))) return false;
  if (![...searchParams].every(([name, value]) => received.query.get(name) === value)) return false;
  if (identity.body === undefined) return true;
  const got = flatten(readFields(received, "json"));
  return [...wantedOfJson(identity.body, values)].every(([name, value]) => got.get(name) === value);
}

/** The key is put before the path. */
function hasKeyInPath(provider: Provider): boolean {
  if (provider.auth_mode !== "API_KEY") return false;
  return provider.api_key.some(({ placement }) => placement.text === "path");
}

function findAddress(
  { base_url: bases = [] }: Provider,
  { path, url }: Identity,
  values: TemplateValues,
): string | undefined {
  if (url !== undefined) return renderOptional(url, values);
  if (path === undefined) return undefined;
  const base = bases.map((each) => renderOptional(each, values)).find(Boolean);
  return base && base.replace(/(?<!\/)\/+$/, "") + renderTemplate(path, values);
}
