import { createHash, randomBytes } from "node:crypto";
import { Browser, type Visit } from "./browser.ts";
import { type OauthApp, REDIRECT } from "./oauth-app.ts";

type Answer = { status: number; body: ReturnType<typeof JSON.parse> };

/** The authorization server spoken to by hand, as an attacker would. */
export class RawOauth {
  readonly #app: OauthApp;
  readonly issuer: string;
  readonly verifier: string = randomBytes(32).toString("base64url");

  constructor(app: OauthApp) {
    this.#app = app;
    this.issuer = `${app.url}/agent/oauth/${app.ctx.environment.id}`;
  }

  async register(metadata: object = {}): Promise<Answer> {
    return await send(`${this.issuer}/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Raw", redirect_uris: [REDIRECT], ...metadata }),
    });
  }

  async client(): Promise<string> {
    return (await this.register()).body.client_id;
  }

  /** Undefined takes a parameter out. */
  authorizeUrl(parameters: Readonly<Record<string, string | undefined>>): URL {
    const url = new URL(`${this.issuer}/authorize`);
    const challenge = createHash("sha256").update(this.verifier).digest("base64url");
    const all = {
      ...{ response_type: "code", redirect_uri: REDIRECT, state: "s" },
      ...{ code_challenge: challenge, code_challenge_method: "S256" },
      ...parameters,
    };
    for (const [name, value] of Object.entries(all)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url;
  }

  /** The page on which the end user decides, in a browser. */
  async page(client: string, resource: string, browser = new Browser()): Promise<Visit> {
    const url = this.authorizeUrl({ client_id: client, resource });
    return await browser.open(url, REDIRECT);
  }

  async code(client: string, resource: string, decision = "allow"): Promise<string> {
    const browser = new Browser();
    const page = await this.page(client, resource, browser);
    const back = await browser.press(page, decision, REDIRECT);
    return back.url.searchParams.get("code") ?? "";
  }

  async token(parameters: Readonly<Record<string, string>>): Promise<Answer> {
    const body = new URLSearchParams(parameters);
    return await send(`${this.issuer}/token`, { method: "POST", body });
  }

  async exchange(
    { client, resource, code }: { client: string; resource: string; code: string },
    change: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return await this.token({
      ...{ grant_type: "authorization_code", code, client_id: client, resource },
      ...{ redirect_uri: REDIRECT, code_verifier: this.verifier, ...change },
    });
  }

  /** Tokens of a client that the end user has let in. */
  async letIn(resource: string, decision = "allow") {
    const client = await this.client();
    const code = await this.code(client, resource, decision);
    const { body } = await this.exchange({ client, resource, code });
    return { client, code, access: String(body.access_token), refresh: String(body.refresh_token) };
  }

  async refresh(client: string, token: string): Promise<Answer> {
    const parameters = { grant_type: "refresh_token", refresh_token: token, client_id: client };
    return await this.token(parameters);
  }

  async call(address: string, token: string, message: object = listing): Promise<Answer> {
    return await send(address, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...{ accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
    });
  }

  async tool(address: string, token: string, name: string, args: object = {}): Promise<Answer> {
    const params = { name, arguments: args };
    return await this.call(address, token, { method: "tools/call", params });
  }

  get app(): OauthApp {
    return this.#app;
  }
}

const listing = { method: "tools/list" };

async function send(url: string, init: RequestInit): Promise<Answer> {
  const answer = await fetch(url, { ...init, redirect: "manual" });
  const text = await answer.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  try {
    return { status: answer.status, body: JSON.parse(data) };
  } catch {
    return { status: answer.status, body: text };
  }
}
