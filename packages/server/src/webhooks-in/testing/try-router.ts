import { AppError } from "#foundation";
import { routers } from "../match/all-routers.ts";
import type { InboundEvent, InboundRequest, Router, WebhookKeys } from "../match/router.ts";
import { verifyRequest } from "../receive/verify-request.ts";
import { type RouterCase, type Signer, TIME, URL_OF_TEST } from "./router-case.ts";

const noKeys: WebhookKeys = {
  webhookSecret: undefined,
  clientSecret: undefined,
  app: undefined,
  connectionSecret: undefined,
};

export interface Trial {
  /** Signed at `TIME`. */
  readonly request: InboundRequest;
  readonly unsigned: InboundRequest;
  readonly keys: WebhookKeys;
  /** `verified`, `unverified` or the code with which it is refused. */
  verify(sent: InboundRequest, keys?: WebhookKeys): Promise<string>;
  read(sent: InboundRequest): readonly InboundEvent[];
}

/** One case with its router, at `TIME`. */
export function tryRouter(each: RouterCase, signer: Signer): Trial {
  const router: Router | undefined = routers[each.router];
  if (router === undefined) throw new Error(`there is no router ${each.router}`);
  const keys: WebhookKeys = { ...noKeys, ...each.keys(signer) };
  const documents = each.documents?.(signer) ?? {};
  const unsigned: InboundRequest = {
    method: "POST",
    url: URL_OF_TEST,
    headers: { "content-type": "application/json", ...each.headers },
    query: { ...each.query },
    body: Buffer.from(each.body),
  };
  const request = {
    ...unsigned,
    headers: { ...unsigned.headers, ...each.sign(unsigned, TIME, signer) },
  };
  const proofTools = {
    now: TIME,
    fetchText: async (url: string) => documents[url] ?? Promise.reject(new Error(`no ${url}`)),
  };
  const verify = async (sent: InboundRequest, given: WebhookKeys = keys) =>
    await verifyRequest({
      router,
      request: sent,
      decoded: sent,
      keys: given,
      tools: proofTools,
      allowUnsigned: false,
    }).then((isVerified) => (isVerified ? "verified" : "unverified"), codeOf);
  return { request, unsigned, keys, verify, read: router.read };
}

function codeOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  throw error;
}

/** Each secret with one letter changed. */
export function otherKeys(keys: WebhookKeys): WebhookKeys {
  const other = (text: string | undefined) => {
    if (text === undefined) return undefined;
    const middle = Math.floor(text.length / 2);
    return text.slice(0, middle) + (text[middle] === "a" ? "b" : "a") + text.slice(middle + 1);
  };
  return {
    ...keys,
    webhookSecret: other(keys.webhookSecret),
    clientSecret: other(keys.clientSecret),
    connectionSecret: other(keys.connectionSecret),
  };
}

/** Every router: whether it proves its sender, and what of a connection's configuration it matches on. */
export function listRouters(): {
  name: string;
  isProving: boolean;
  matchesOn: readonly string[];
}[] {
  return Object.entries(routers).map(([name, { proof, matchesOn = [] }]) => ({
    name,
    isProving: proof !== undefined,
    matchesOn,
  }));
}

/** The events of a request without a proof, as a router reads them. */
export function readAs(
  name: string,
  { headers, body, query = {} }: Pick<RouterCase, "headers" | "body" | "query">,
): readonly InboundEvent[] {
  const content = { "content-type": "application/json", ...headers };
  const request = { method: "POST", url: URL_OF_TEST, headers: content, query };
  return routers[name]?.read({ ...request, body: Buffer.from(body) }) ?? [];
}
