import type { IncomingMessage, ServerResponse } from "node:http";
import type { ProviderJournal } from "../journal.ts";
import { sendJson, sendProblem } from "../respond.ts";
import type { ApiCall } from "./api-call.ts";
import type { ContactBook } from "./contacts.ts";
import { answerContacts } from "./contacts-api.ts";
import { answerEcho, answerFlaky, answerStatus, answerStream } from "./trial-api.ts";

export interface ApiOptions {
  readonly book: ContactBook;
  readonly apiKey: string;
  readonly clientId: string;
  readonly journal: ProviderJournal;
  readonly closing: AbortSignal;
  findTokenAccount(token: string): Promise<string | undefined>;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Makes the handler of all paths under `/api`. */
export function createApi(options: ApiOptions): RequestHandler {
  const flakyCalls = new Map<string, number>();

  return async (request, response) => {
    options.journal.apiCalls += 1;
    const account = await findAccount(options, request);
    if (account === undefined) {
      options.journal.apiRefusals += 1;
      const message = "The access token or API key is missing, unknown, expired or revoked.";
      const challenge = { "www-authenticate": 'Bearer realm="Harbor CRM", error="invalid_token"' };
      return sendProblem(response, 401, { error: "invalid_token", message }, challenge);
    }
    const url = new URL(request.url ?? "/", "http://localhost");
    const call = { request, response, url, account, closing: options.closing };
    return routeCall(options.book, flakyCalls, call);
  };
}

async function routeCall(
  book: ContactBook,
  flakyCalls: Map<string, number>,
  call: ApiCall,
): Promise<void> {
  const [, , resource, item, ...rest] = call.url.pathname.split("/");
  if (resource === "echo") return answerEcho(call);
  if (rest.length === 0) {
    if (resource === "contacts") return answerContacts(book, call, item);
    if (resource === "stream" && item === undefined) return answerStream(call);
    if (resource === "flaky" && item === undefined) return answerFlaky(call, flakyCalls);
    if (resource === "status" && item !== undefined) return answerStatus(call, item);
    if (resource === "me" && item === undefined) {
      const email = call.account.includes("@") ? call.account : null;
      return sendJson(call.response, 200, { id: call.account, email });
    }
  }
  sendProblem(call.response, 404, {
    error: "not_found",
    message: `There is nothing at ${call.url.pathname}.`,
  });
}

async function findAccount(
  options: ApiOptions,
  request: IncomingMessage,
): Promise<string | undefined> {
  const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (request.headers["x-api-key"] === options.apiKey || bearer === options.apiKey) {
    return options.clientId;
  }
  return bearer === undefined ? undefined : options.findTokenAccount(bearer);
}
