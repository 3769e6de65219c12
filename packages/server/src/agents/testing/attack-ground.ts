import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { HOUR, MINUTE, SECOND } from "#foundation";
import { Browser } from "./browser.ts";
import { startIssuer } from "./issuer.ts";
import { REDIRECT, startOauthApp } from "./oauth-app.ts";
import { RawOauth } from "./raw-oauth.ts";
import { countRefusedCalls, reopenLast } from "./store.ts";

type Toolset = { id: string; mcp_url: string; name: string };

export type AttackGround = Awaited<ReturnType<typeof startAttackGround>>;

/** What the attacker gets, and how they try. */
export type Attack = [name: string, expected: unknown, attack: () => Promise<unknown>];

/** Toolsets of each kind, and what an attacker does with them. */
export async function startAttackGround() {
  const issuer = await startIssuer();
  const app = await startOauthApp();
  const raw = new RawOauth(app);
  await app.deploy("whose", "return (await svc.getConnection()).connection_id;", "read");
  await app.deploy("change", "return 1;", "write");
  await app.deploy("long", "return Array.from({ length: 3000 }, (_, id) => ({ id }));", "read");
  const own: Toolset = await app.putToolset("own", { tools: [{ integration: "crm" }] });
  const other: Toolset = await app.putToolset("other");
  const external: Toolset = await app.putToolset("external", {
    authorization: { mode: "external", issuer: issuer.issuer },
  });
  const closed: Toolset = await app.putToolset("closed", { authorization: undefined });

  async function beginSession(toolset: string, endUserId = "ada", body: object = {}) {
    const made = await app.api("POST", "/agent/sessions", {
      ...{ toolset, end_user_id: endUserId },
      ...body,
    });
    return { token: String(made.body.data.token), id: String(made.body.data.id) };
  }

  const claims = (change: object = {}) => ({
    ...{ sub: "ada", aud: external.mcp_url },
    exp: Math.floor((app.app.clock.now().getTime() + HOUR) / SECOND),
    ...change,
  });

  /** What a model reads of a call that was refused. */
  async function codeOf(address: string, token: string, name: string, args: object = {}) {
    const { body } = await raw.tool(address, token, name, args);
    return JSON.parse(body.result.content[0].text).code;
  }

  async function status(address: string, token: string): Promise<number> {
    return (await raw.call(address, token)).status;
  }

  const authorizeError = async (change: Readonly<Record<string, string | undefined>>) => {
    const asked = { client_id: await raw.client(), resource: own.mcp_url, ...change };
    const visit = await new Browser().open(raw.authorizeUrl(asked), REDIRECT);
    const inFragment = new URLSearchParams(visit.url.hash.slice(1));
    return visit.url.searchParams.get("error") ?? inFragment.get("error") ?? `page ${visit.status}`;
  };

  /** A request that is waiting for the customer's word, in a browser. */
  async function waiting() {
    const browser = new Browser();
    app.signedIn = undefined;
    await raw.page(await raw.client(), own.mcp_url, browser);
    app.signedIn = "ada";
    const id = await reopenLast(app.app.database.db);
    return { browser, id };
  }

  const answer = async (id: string, endUserId = "ada", approved = true) =>
    await app.api("POST", `/agent/authorizations/${id}`, { end_user_id: endUserId, approved });

  /** Whom an agent has asked to connect an account. */
  async function connectUrl(endUserId: string): Promise<string> {
    const { token } = await beginSession("own", endUserId);
    const { body } = await raw.tool(`${app.url}/mcp/own`, token, "crm__whose");
    return JSON.parse(body.result.content[0].text).connect_url;
  }

  const initial = { name: "crm__whose", arguments: {} };

  /** A call of the newest revision, by a client that opens addresses for its user. */
  async function modern(token: string, params: object) {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: {} } },
    };
    const response = await fetch(`${app.url}/mcp/own`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...{ accept: "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28" },
        ...{ "mcp-method": "tools/call", "mcp-name": "crm__whose" },
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { ...params, _meta },
      }),
    });
    const text = await response.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  }

  async function stateFor(token: string): Promise<string> {
    return (await modern(token, initial)).result.requestState;
  }

  /** Rows and lines that say that somebody was refused. */
  async function countRefusals(): Promise<number> {
    const log = await readFile(
      join(inject("testRun").folder, "left", `log ${process.pid}`),
      "utf8",
    );
    const calls = await countRefusedCalls(app.app.database.db);
    return log.split('"agents.refused"').length + calls;
  }

  return {
    ...{ app, raw, issuer, own, other, external, closed, initial, beginSession, claims, codeOf },
    ...{ status, authorizeError, waiting, answer, connectUrl, modern, stateFor, countRefusals },
    reset: () => {
      app.signedIn = "ada";
      app.app.clock.advance(MINUTE);
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}
