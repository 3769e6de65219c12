import { renderOptional, renderTemplate } from "@jackfield/catalogue";
import { takeFromQuota } from "./app-quota.ts";
import { type ConsentRequest, readConsentRequest } from "./authorization/authorize.ts";
import { answerLogin } from "./authorization/logins.ts";
import { answerOAuth1, readOAuth1Consent } from "./authorization/oauth1.ts";
import {
  answerDiscovery,
  answerRegistration,
  readInstallRequest,
} from "./authorization/other-doors.ts";
import { answerRevocation } from "./authorization/revoke.ts";
import { answerTokenRequest } from "./authorization/token-requests.ts";
import { answerAfterConnect } from "./calls/after-connect.ts";
import { checkCall } from "./calls/api-call.ts";
import { answerIdentity, findAccountAnswer, withAccount } from "./calls/identity.ts";
import { answerOwnApi } from "./calls/own-api.ts";
import { placeOf, type Received, Refusal, toPlace } from "./exchange/received.ts";
import { type Reply, replyJson } from "./exchange/write-answer.ts";
import { writePage } from "./samples/sample-data.ts";
import { notePassed, type VendorState } from "./vendor-state.ts";

/** A request of a browser for the end user's consent; undefined for another. */
export function readConsent(
  state: VendorState,
  received: Received,
  setupUrl: string,
): ConsentRequest | undefined {
  return (
    readConsentRequest(state, received) ??
    readOAuth1Consent(state, received) ??
    readInstallRequest(state, received, { setupUrl })
  );
}

/** What the vendor answers to a request of the server; throws a Refusal for one that is wrong. */
export async function answerRequest(state: VendorState, received: Received): Promise<Reply> {
  const account = findAccountAnswer(state, received);
  const reply = await answerWithout(account, state, received);
  return account === undefined ? reply : withAccount(reply, account);
}

/** One address may serve several requests of the entry, unless their bodies differ. */
async function answerWithout(
  account: object | undefined,
  state: VendorState,
  received: Received,
): Promise<Reply> {
  const isOwnBody = account !== undefined && state.provider.identity?.body !== undefined;
  const isOnly = account !== undefined && !isVerificationCall(state, received);
  return (
    (isOwnBody ? answerIdentity(state, received) : undefined) ??
    answerDiscovery(state, received) ??
    answerRegistration(state, received) ??
    answerOAuth1(state, received) ??
    answerRevocation(state, received) ??
    answerTokenRequest(state, received) ??
    answerLogin(state, received) ??
    (await answerAfterConnect(state, received)) ??
    answerUserInstallations(state, received) ??
    (isOnly ? answerIdentity(state, received) : undefined) ??
    (await answerApi(state, received))
  );
}

/** Within the app's quota, where there is one. */
async function answerApi(state: VendorState, received: Received): Promise<Reply> {
  const quota = takeFromQuota(state);
  if (quota === undefined) return await answerCall(state, received);
  if (quota.refusal !== undefined) return quota.refusal;
  const reply = await answerCall(state, received);
  return { ...reply, headers: { ...reply.headers, ...quota.headers } };
}

/** Calls of the API: the verification, collections with pages, and an echo of everything else. */
async function answerCall(state: VendorState, received: Received): Promise<Reply> {
  const { provider, faults } = state;
  const limited = answerLimit(state);
  if (limited !== undefined) return limited;
  const isVerification = isVerificationCall(state, received);
  const stage = isVerification ? "verify" : "call";
  const { below, query, values } = checkCall(state, received, { stage });
  if (faults.status !== undefined) return replyJson({ error: "simulated" }, faults.status);
  if (faults.error_in_200) return replyJson({ ok: false, error: "simulated_error", code: 4001 });
  if (isVerification) {
    notePassed(state, "verify");
    return replyJson({ ok: true });
  }
  if (below === undefined && provider.base_url !== undefined) {
    const base = provider.base_url.map((url) => renderOptional(url, values)).find(Boolean);
    throw new Refusal(
      "call",
      `the call went to ${placeOf(received)}, which is not below ${base}`,
      404,
    );
  }
  notePassed(state, "call");
  const path = below ?? received.path;
  const own = await answerOwnApi(state, received, { path, query });
  if (own !== undefined) return own;
  const collection = /\/([a-z][a-z-]*s)$/.exec(path)?.[1];
  if (received.method === "GET" && collection !== undefined) {
    const address = `https://${received.host}${received.path}?${query}`;
    return writePage(provider, { collection, address, query });
  }
  if (received.method === "HEAD") return replyJson({});
  return replyJson({ ok: true, method: received.method, path, query: Object.fromEntries(query) });
}

function isVerificationCall({ provider, samples }: VendorState, received: Received): boolean {
  const { verification } = provider;
  if (verification === undefined || received.method !== verification.method) return false;
  const values = {
    config: { ...samples.connectionConfig, ...samples.reported },
    integration: samples.integrationConfig,
    credentials: samples.credentials,
  };
  return verification.path.some((template) => {
    const path = renderOptional(template, values)?.split("?")[0];
    return path !== undefined && received.path.endsWith(path);
  });
}

/** The user's own installations of an app, which a browser cannot invent. */
function answerUserInstallations(state: VendorState, received: Received): Reply | undefined {
  const { provider } = state;
  if (provider.auth_mode !== "CUSTOM" || provider.user_installations === undefined)
    return undefined;
  const { url, list, id } = provider.user_installations;
  const address = renderTemplate(url, { config: state.samples.connectionConfig });
  if (placeOf(received) !== toPlace(address)) return undefined;
  checkCall(state, received, { stage: "token" });
  return replyJson({ [list]: [{ [id]: 1 }, { [id]: 4711 }] });
}

/** 429 until the time that the answer names, in the style that was asked for. */
function answerLimit(state: VendorState): Reply | undefined {
  const { provider, faults } = state;
  if (faults.rate_limit === "off") {
    state.limitedUntil = undefined;
    return undefined;
  }
  const now = Date.now();
  if (state.limitedUntil !== undefined && state.limitedUntil <= now) {
    state.limitedUntil = undefined;
    state.faults = { ...faults, rate_limit: "off" };
    return undefined;
  }
  state.limitedUntil ??= now + faults.rate_limit_s * 1000;
  const until = state.limitedUntil;
  const seconds = String(Math.ceil((until - now) / 1000));
  const hints = provider.retry ?? {};
  const headers: Record<string, string> = {};
  let reported = {};
  switch (faults.rate_limit) {
    case "entry":
      if (hints.remaining_header !== undefined) headers[hints.remaining_header] = "0";
      if (hints.after_header !== undefined) headers[hints.after_header] = seconds;
      else if (hints.at_header !== undefined)
        headers[hints.at_header] = String(Math.ceil(until / 1000));
      else if (hints.in_body !== undefined)
        reported = nest(
          hints.in_body.path,
          hints.in_body.strategy === "at" ? until : Number(seconds),
        );
      else headers["retry-after"] = seconds;
      break;
    case "retry-after-seconds":
      headers["retry-after"] = seconds;
      break;
    case "retry-after-date":
      headers["retry-after"] = new Date(Math.ceil(until / 1000) * 1000).toUTCString();
      break;
    case "epoch-seconds":
      headers[hints.at_header ?? "x-ratelimit-reset"] = String(Math.ceil(until / 1000));
      break;
    case "epoch-ms":
      headers[hints.at_header ?? "x-ratelimit-reset"] = String(until);
      break;
  }
  const body = { error: "rate_limited", message: "Too many requests.", ...reported };
  return replyJson(body, 429, headers);
}

/** An object with the value at the path. */
function nest(path: string, value: number): object {
  const [name = "", ...rest] = path.split(".");
  return { [name]: rest.length === 0 ? value : nest(rest.join("."), value) };
}
