import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { getProvider, type Provider } from "@jackfield/catalogue";
import { readBody } from "../read-body.ts";
import { answerRequest, readConsent } from "./answer.ts";
import type { ConsentRequest } from "./authorization/authorize.ts";
import { findFlowProvider } from "./authorization/code-flow.ts";
import { findRevocation } from "./authorization/revoke.ts";
import type { VendorApi } from "./calls/own-api.ts";
import { answerControl } from "./control.ts";
import { type DescribedConnection, newImportableConnection } from "./describe-connection.ts";
import { type Received, Refusal, type Stage, toReceived } from "./exchange/received.ts";
import { type Reply, replyJson } from "./exchange/write-answer.ts";
import { type Faults, noFaults } from "./faults.ts";
import { type SampleValues, sampleValues } from "./samples/sample-values.ts";
import { renderVendorConsent, renderVendorProblem } from "./vendor-pages.ts";
import {
  changeFaults,
  type NotedRefusal,
  newVendorState,
  restoreGrants,
  type VendorState,
  writeGrants,
} from "./vendor-state.ts";

export interface VendorOptions {
  /** A free port by default. */
  readonly port?: number;
  /** `automatic` agrees to everything without a page. */
  readonly consent?: "automatic" | "interactive";
  /** Where installations of apps come back to: the server's `/app-auth/connect`. */
  readonly setupUrl?: string;
  /** PEM; with it the vendor speaks TLS and asks for client certificates. */
  readonly tls?: {
    readonly certificate: string;
    readonly key: string;
    readonly clientAuthority: string;
  };
  /** Instead of the samples that follow from the entry. */
  readonly samples?: Partial<SampleValues>;
  /** What `remember()` of an earlier one gave: it knows the connections of then. */
  readonly memory?: string | undefined;
  /** Answers calls in place of the sample data, after their credentials were checked. */
  readonly api?: VendorApi;
}

/** A fake of one provider's vendor, generated from its entry. */
export interface Vendor extends AsyncDisposable {
  readonly provider: Provider;
  /** `http://127.0.0.1:<port>`: what `settings.overrides.simulator_url` takes. */
  readonly origin: string;
  /** What the vendor knows: what to configure, to type and to sign in with. */
  readonly samples: SampleValues;
  /** A connection to import, with tokens of its own; undefined where only a connect session makes one. */
  newConnection(): DescribedConnection | undefined;
  /** Requests that it found wrong, in their order. */
  readonly refusals: readonly NotedRefusal[];
  /** How often a stage went well. */
  countPassed(stage: Stage): number;
  /** Calls that were refused since the app's quota was used up. */
  countOverQuota(): number;
  setFaults(faults: Partial<Faults>): void;
  /** The connections that it knows, for a later start. */
  remember(): string;
  forgetRefusals(): void;
  /** Whether the entry says how tokens are withdrawn. */
  readonly revokes: boolean;
  /** Whether its connections have refresh tokens, which may be replaced. */
  readonly rotates: boolean;
}

const BODY_LIMIT = 5_000_000;

/** Starts the fake on 127.0.0.1; it insists on what the entry says, and notes every deviation. */
export async function startVendor(
  entry: Provider | string,
  options: VendorOptions = {},
): Promise<Vendor> {
  const provider = typeof entry === "string" ? getProvider(entry) : entry;
  if (provider === undefined) throw new Error(`The catalogue has no provider ${String(entry)}.`);
  const samples = { ...sampleValues(provider), ...options.samples };
  const state = newVendorState(provider, { samples, api: options.api });
  if (options.memory !== undefined) restoreGrants(state, options.memory);
  const { consent = "interactive", setupUrl = "http://127.0.0.1:3003/app-auth/connect" } = options;
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    respond(state, { consent, setupUrl }, request, response).catch(() => response.destroy());
  };
  const { tls } = options;
  const server =
    tls === undefined
      ? createServer(handle)
      : createTlsServer(
          {
            cert: tls.certificate,
            key: tls.key,
            ca: tls.clientAuthority,
            requestCert: true,
            rejectUnauthorized: false,
          },
          handle,
        );
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    provider,
    origin: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    samples,
    newConnection: () => newImportableConnection(state),
    refusals: state.refusals,
    countOverQuota: () => state.overQuota,
    countPassed: (stage) => state.passed.get(stage) ?? 0,
    setFaults(changed) {
      changeFaults(state, { ...noFaults, ...changed });
    },
    remember: () => writeGrants(state),
    forgetRefusals() {
      state.refusals.length = 0;
    },
    revokes: findRevocation(state) !== undefined,
    rotates: findFlowProvider(provider)?.refresh_with === "refresh_token",
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Serving {
  readonly consent: "automatic" | "interactive";
  readonly setupUrl: string;
}

async function respond(
  state: VendorState,
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = (await readBody(request, BODY_LIMIT))?.toString("utf8") ?? "";
  const isOwn = /^(127\.0\.0\.1|localhost)(:|$)/.test(request.headers.host ?? "");
  const asked = { method: request.method ?? "", url: request.url ?? "", body };
  const isElsewhere = request.headers["sec-fetch-site"] === "cross-site";
  const control = isOwn ? answerControl(state, { ...asked, isElsewhere }) : undefined;
  if (control !== undefined) return send(response, await control);
  const received = toReceived(request, body);
  if (state.faults.slow_s > 0) await sleep(state.faults.slow_s * 1000);
  const reply = await answerSafely(state, serving, received);
  if (state.faults.cut && !received.isBrowser) return cut(response, reply);
  send(response, reply);
}

async function answerSafely(
  state: VendorState,
  serving: Serving,
  received: Received,
): Promise<Reply> {
  try {
    const consent = received.isBrowser ? readBrowser(state, serving, received) : undefined;
    return consent ?? (await answerRequest(state, received));
  } catch (error) {
    if (!(error instanceof Refusal)) {
      const message = error instanceof Error ? error.message : String(error);
      state.refusals.push({
        stage: "call",
        message: `the simulator failed: ${message}`,
        at: new Date(),
      });
      return replyJson({ error: "simulator_failed", message }, 500);
    }
    const { stage, message, status } = error;
    state.refusals.push({ stage, message, at: new Date() });
    if (received.isBrowser) return renderVendorProblem(state, { stage, message });
    const unnamed = stage === "refresh" || stage === "token" ? "invalid_request" : "refused";
    const code = error.code ?? unnamed;
    // What it would have been stays with the one who plays the vendor: it may be a secret.
    const [reported] = message.split(/ instead of |, which does not begin with /, 1);
    return replyJson({ error: code, error_description: reported }, status);
  }
}

/** Pages for the end user; the answer of the form has the same address. */
function readBrowser(
  state: VendorState,
  { consent, setupUrl }: Serving,
  received: Received,
): Reply | undefined {
  const asked = readConsent(state, { ...received, method: "GET" }, setupUrl);
  if (asked === undefined)
    throw new Refusal("authorize", `there is no page at ${received.host}${received.path}`, 404);
  if (consent === "automatic") return redirect(asked.allow());
  if (received.method === "POST") return redirect(decide(asked, received.body));
  return renderVendorConsent(state, asked);
}

function decide(asked: ConsentRequest, body: string): string {
  return new URLSearchParams(body).get("action") === "allow" ? asked.allow() : asked.deny();
}

function redirect(location: string): Reply {
  return { status: 303, headers: { location }, body: "" };
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/** The head says more than comes. */
function cut(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) + 10 });
  response.write(body.slice(0, Math.ceil(body.length / 2)), () => response.destroy());
}
