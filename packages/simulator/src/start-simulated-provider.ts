import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createApi } from "./api/api.ts";
import { type ChangedContacts, type ContactChanges, createContactBook } from "./api/contacts.ts";
import { createAuthorizationServer } from "./authorization/authorization-server.ts";
import type { ConsentMode } from "./authorization/interactions.ts";
import { newJournal, type ProviderJournal } from "./journal.ts";
import { postWebhook, type WebhookEvent } from "./post-webhook.ts";
import { sendProblem } from "./respond.ts";

export interface SimulatedProviderOptions {
  /** Addresses that the OAuth client may be sent back to; at least one. */
  redirectUris: string[];
  /** How many contacts there are at first; 3000 by default. */
  contacts?: number;
  /** 3600 by default. */
  accessTokenLifetimeSeconds?: number;
  /** A free port by default. */
  port?: number;
  /** Contacts and credentials are the same for the same seed; 1 by default. */
  seed?: number;
  /** `automatic` grants every authorization request to a demo user without a page. */
  consent?: ConsentMode;
}

export interface SimulatedProvider extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly oauth: {
    readonly issuer: string;
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly revocationUrl: string;
    readonly clientId: string;
    readonly clientSecret: string;
  };
  readonly webhookSecret: string;
  /** The counts up to now, as a copy. */
  readonly journal: Readonly<ProviderJournal>;
  /** Number of contacts up to now. */
  readonly contactCount: number;
  /** Changes, adds and removes contacts, chosen by the seed, and gives their ids. */
  changeContacts(changes: ContactChanges): ChangedContacts;
  /** Posts a signed event to `url`; rejects when nobody answers within 10 s. */
  sendWebhook(url: string, event: WebhookEvent): Promise<{ id: string; status: number }>;
  /** Ends all connections and timers; a second call does nothing more. */
  close(): Promise<void>;
}

/** Starts Harbor CRM, a fake SaaS with OAuth 2, a REST API and webhooks, on 127.0.0.1. */
export async function startSimulatedProvider(
  options: SimulatedProviderOptions,
): Promise<SimulatedProvider> {
  const { seed = 1, accessTokenLifetimeSeconds = 3600, consent = "interactive" } = options;
  const secrets = deriveSecrets(seed);
  const journal = newJournal();
  const closing = new AbortController();
  const book = createContactBook({ count: options.contacts ?? 3000, seed });

  const server = createServer();
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const origin = `http://127.0.0.1:${address.port}`;
  const issuer = `${origin}/oauth`;

  async function stop(): Promise<void> {
    closing.abort();
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  try {
    const authorizationServer = await createAuthorizationServer({
      ...secrets,
      issuer,
      redirectUris: options.redirectUris,
      accessTokenLifetimeSeconds,
      consent,
      journal,
    });
    const answerApi = createApi({
      ...secrets,
      book,
      journal,
      closing: closing.signal,
      findTokenAccount: authorizationServer.findTokenAccount,
    });
    server.on("request", (request, response) => {
      const answer = chooseHandler(request, {
        "/api": answerApi,
        "/oauth": authorizationServer.handleRequest,
      });
      answer(request, response).catch((error: unknown) => answerFailure(response, error));
    });
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    origin,
    apiUrl: `${origin}/api`,
    apiKey: secrets.apiKey,
    webhookSecret: secrets.webhookSecret,
    oauth: {
      issuer,
      authorizationUrl: `${issuer}/authorize`,
      tokenUrl: `${issuer}/token`,
      revocationUrl: `${issuer}/revoke`,
      clientId: secrets.clientId,
      clientSecret: secrets.clientSecret,
    },
    get journal() {
      return { ...journal };
    },
    get contactCount() {
      return book.count();
    },
    changeContacts: (changes) => book.change(changes),
    sendWebhook(url, event) {
      journal.webhooksSent += 1;
      const id = `evt_${String(journal.webhooksSent).padStart(7, "0")}`;
      return postWebhook({ url, id, event, secret: secrets.webhookSecret }, closing.signal);
    },
    close: stop,
    [Symbol.asyncDispose]: stop,
  };
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function chooseHandler(
  request: IncomingMessage,
  handlers: Readonly<Record<string, RequestHandler>>,
): RequestHandler {
  const path = request.url ?? "";
  for (const [prefix, handler] of Object.entries(handlers)) {
    if (path.startsWith(`${prefix}/`)) return handler;
  }
  return async (_request, response) =>
    sendProblem(response, 404, {
      error: "not_found",
      message: "Harbor CRM answers under /api and /oauth.",
    });
}

function answerFailure(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  sendProblem(response, 500, { error: "server_error", message });
}

// The credentials protect nothing (everything is on loopback), so they may follow from the seed;
// a demo can then be repeated with the same ones.
function deriveSecrets(seed: number): {
  clientId: string;
  clientSecret: string;
  apiKey: string;
  webhookSecret: string;
} {
  const derive = (purpose: string): string =>
    createHmac("sha256", `harbor-crm-${seed}`).update(purpose).digest("base64url");
  return {
    clientId: `harbor-client-${seed}`,
    clientSecret: derive("client secret"),
    apiKey: `harbor_key_${derive("api key")}`,
    webhookSecret: `harbor_webhook_${derive("webhook secret")}`,
  };
}
