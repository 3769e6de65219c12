import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readBody } from "../read-body.ts";
import { askFor } from "./ask.ts";
import { McpAuthorization } from "./authorize.ts";
import { type McpBehaviours, mcpBehaviours } from "./behaviours.ts";
import { respondToCall, sendEvents, sendJson } from "./respond-call.ts";
import { listTools, TicketDesk } from "./tickets.ts";

export interface McpServerOptions {
  /** A free port by default. */
  readonly port?: number;
  /** Whether it wants credentials, by OAuth or one of its keys; default true. */
  readonly isProtected?: boolean;
}

/** An MCP server on 127.0.0.1, which behaves as a test wants it. */
export interface SimulatedMcpServer extends AsyncDisposable {
  readonly origin: string;
  /** What clients connect to. */
  readonly url: string;
  /** A key that it accepts as a bearer token. */
  readonly key: string;
  /** Methods that were asked of it, with the name of the tool where there is one, in their order. */
  readonly asked: readonly string[];
  /** Headers of the last request. */
  readonly lastHeaders: IncomingMessage["headers"];
  /** Bytes that it has sent. */
  readonly sentBytes: () => number;
  behave(changed: Partial<McpBehaviours>): void;
  /** Refuses the access tokens that it has issued. */
  expireTokens(): void;
}

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const VERSION = "io.modelcontextprotocol/protocolVersion";
const BODY_LIMIT = 5_000_000;

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

/** Starts the server: a help desk with tickets. */
export async function startMcpServer(options: McpServerOptions = {}): Promise<SimulatedMcpServer> {
  const { isProtected = true } = options;
  const server = createServer();
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const origin = `http://127.0.0.1:${port}`;
  const key = `mcp-key-${randomUUID()}`;
  const place = new McpPlace({ origin, key, isProtected });
  server.on("request", (request, response) => {
    place.answer(request, response).catch(() => response.destroy());
  });
  let sent = 0;
  server.on("connection", (socket) => {
    socket.on("close", () => {
      sent += socket.bytesWritten;
    });
  });
  return {
    ...{ origin, url: `${origin}/mcp`, key },
    get asked() {
      return place.asked;
    },
    get lastHeaders() {
      return place.lastHeaders;
    },
    sentBytes: () => sent,
    behave: (changed) => place.behave(changed),
    expireTokens: () => place.authorization.expire(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

class McpPlace {
  readonly #isProtected: boolean;
  readonly #origin: string;
  readonly #desk = new TicketDesk();
  #sessions = new Set<string>();
  /** Answers that calls of an earlier revision wait for, by the ids of their questions. */
  readonly #waiting = new Map<string, (result: unknown) => void>();
  #behaviours: McpBehaviours = mcpBehaviours.parse({});
  readonly authorization: McpAuthorization;
  readonly asked: string[] = [];
  lastHeaders: IncomingMessage["headers"] = {};

  constructor({ origin, key, isProtected }: { origin: string; key: string; isProtected: boolean }) {
    this.#origin = origin;
    this.#isProtected = isProtected;
    this.authorization = new McpAuthorization(origin, [key]);
  }

  behave(changed: Partial<McpBehaviours>): void {
    this.#behaviours = mcpBehaviours.parse({ ...this.#behaviours, ...changed });
    if (changed.lost_sessions === true) this.#sessions = new Set();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readBody(request, BODY_LIMIT))?.toString("utf8") ?? "";
    const url = new URL(request.url ?? "/", this.#origin);
    if (url.pathname.startsWith("/.simulator")) return this.#control(request, response, body);
    const authorization = this.authorization.answer(request.method ?? "", url, body);
    if (authorization !== undefined) {
      const { status, body: answer, location } = authorization;
      response.writeHead(status, {
        ...{ "content-type": "application/json" },
        ...(location === undefined ? {} : { location }),
      });
      response.end(answer === undefined ? "" : JSON.stringify(answer));
      return;
    }
    if (url.pathname !== "/mcp") return refuse(response, 404, "There is only /mcp here.");
    this.lastHeaders = request.headers;
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const isKnown = !this.#isProtected || this.authorization.accepts(token);
    if (!isKnown || this.#behaviours.unauthorized) {
      const metadata = `${this.#origin}/.well-known/oauth-protected-resource/mcp`;
      response.setHeader("www-authenticate", `Bearer resource_metadata="${metadata}"`);
      return refuse(response, 401, "Authorize first.");
    }
    if (request.method !== "POST") return refuse(response, 405, "POST messages here.");
    await this.#take(request, response, { message: JSON.parse(body), token });
  }

  #control(request: IncomingMessage, response: ServerResponse, body: string): void {
    const isElsewhere = request.headers["sec-fetch-site"] === "cross-site";
    if (request.method === "PUT" && !isElsewhere) {
      const parsed = mcpBehaviours.partial().safeParse(JSON.parse(body || "{}"));
      if (!parsed.success) {
        refuse(response, 400, parsed.error.message);
        return;
      }
      const given: unknown = JSON.parse(body || "{}");
      // Defaults of what was not given would undo other switches.
      const own = Object.entries(parsed.data).filter(([name]) =>
        Object.hasOwn(Object(given), name),
      );
      this.behave(Object.fromEntries(own));
    }
    sendJson(
      response,
      JSON.stringify({ behaviours: this.#behaviours, asked: this.asked.slice(-100) }),
    );
  }

  async #take(
    request: IncomingMessage,
    response: ServerResponse,
    { message, token }: { message: Message; token: string },
  ): Promise<void> {
    const { id, method = "", params = {} } = message;
    if (message.method === undefined && id !== undefined) {
      this.#waiting.get(String(id))?.(message.result);
      return accept(response);
    }
    const name = params["name"] ?? params["uri"];
    this.asked.push(typeof name === "string" ? `${method} ${name}` : method);
    const isModern = Object(params["_meta"])[VERSION] === MODERN;
    const { era } = this.#behaviours;
    if (isModern && era === "legacy") return refuse(response, 400, "Not initialized.");
    if (!isModern && era === "modern") return refuse(response, 400, "Only revision 2026-07-28.");
    if (id === undefined) return accept(response);
    if (!isModern) {
      if (method === "initialize") return this.#initialize(response, id);
      const session = request.headers["mcp-session-id"];
      if (typeof session !== "string" || !this.#sessions.has(session)) {
        return refuse(response, 404, "No such session.");
      }
    }
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    await this.#serve(response, { id, method, params, isModern, token, signal: gone.signal });
  }

  #initialize(response: ServerResponse, id: string | number): void {
    const session = randomUUID();
    this.#sessions.add(session);
    response.setHeader("mcp-session-id", session);
    const serverInfo = { name: "help-desk", version: "1.0.0" };
    const result = { protocolVersion: LEGACY, capabilities: this.#capabilities(), serverInfo };
    sendJson(response, JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  #capabilities(): object {
    return { tools: { listChanged: true }, resources: {} };
  }

  async #serve(response: ServerResponse, asked: Asked): Promise<void> {
    const { id, method, params, isModern } = asked;
    const complete = (result: object) => ({
      ...{ jsonrpc: "2.0", id },
      result: isModern ? { resultType: "complete", ...result } : result,
    });
    const reply = (result: object) => sendJson(response, JSON.stringify(complete(result)));
    const { ttl_ms: ttlMs, cache_scope: cacheScope } = this.#behaviours;
    const lifetime = isModern ? { ttlMs, cacheScope } : {};
    switch (method) {
      case "server/discover":
        return reply({
          ...{ supportedVersions: [MODERN], capabilities: this.#capabilities(), ...lifetime },
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "help-desk", version: "1.0.0" } },
        });
      case "tools/list":
        return this.#list(response, asked, (result) => reply({ ...result, ...lifetime }));
      case "resources/read": {
        const found = this.#desk.read(String(params["uri"]));
        return found === undefined
          ? sendError(response, id, { code: -32_602, message: "No such resource." })
          : reply({ ...found, ...lifetime });
      }
      case "tools/call":
        return await this.#call(response, asked);
      default:
        return sendError(response, id, { code: -32_601, message: `No method ${method}.` });
    }
  }

  #list(response: ServerResponse, { token, id }: Asked, reply: (result: object) => void): void {
    const tools = listTools(this.#behaviours, token);
    switch (this.#behaviours.list) {
      case "normal":
        reply({ tools });
        return;
      case "endless_pages":
        reply({ tools, nextCursor: randomUUID() });
        return;
      case "huge": {
        const [first] = tools;
        reply({
          tools: Array.from({ length: 5000 }, (_, index) => ({ ...first, name: `tool_${index}` })),
        });
        return;
      }
      case "deep": {
        const nested = `${'{"type":"object","properties":{"a":'.repeat(500)}{}${"}}".repeat(500)}`;
        const inputSchema: unknown = JSON.parse(nested);
        reply({ tools: [...tools, { name: "deep", description: "", inputSchema }] });
        return;
      }
      case "malformed":
        reply({ tools: "none" });
        return;
      case "silent":
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.flushHeaders();
        return;
      case "status_500":
        refuse(response, 500, `broken ${String(id)}`);
        return;
    }
  }

  async #call(response: ServerResponse, asked: Asked): Promise<void> {
    const { id, params, token } = asked;
    const behaviours = this.#behaviours;
    const question = askFor(behaviours, { origin: this.#origin, token });
    const isAnswered =
      params["inputResponses"] !== undefined && behaviours.ask !== "again_and_again";
    if (question !== undefined && asked.isModern && !isAnswered) {
      const result = {
        resultType: "input_required",
        inputRequests: { team: question },
        requestState: `state of ${id} ${behaviours.token_echo ? token : ""}`,
      };
      return sendJson(response, JSON.stringify({ jsonrpc: "2.0", id, result }));
    }
    if (question !== undefined && !asked.isModern)
      return await this.#askOnStream(response, asked, question);
    await this.#finish(response, asked, params["inputResponses"]);
  }

  /** An earlier revision asks by a request of its own, while the call's stream stays open. */
  async #askOnStream(
    response: ServerResponse,
    asked: Asked,
    question: { method: string; params: object },
  ): Promise<void> {
    const questionId = randomUUID();
    const answered = new Promise<unknown>((resolve) => this.#waiting.set(questionId, resolve));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: questionId, ...question })}\n\n`);
    const gone = new Promise<undefined>((resolve) => {
      asked.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const answer = await Promise.race([answered, gone]);
    this.#waiting.delete(questionId);
    if (asked.signal.aborted) return;
    const result = this.#resultOf(asked, { team: answer });
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: asked.id, result })}\n\n`);
    response.end();
  }

  async #finish(response: ServerResponse, asked: Asked, answers: unknown): Promise<void> {
    const { id, signal } = asked;
    const result = this.#resultOf(asked, answers);
    if (result === undefined) {
      return sendError(response, id, { code: -32_602, message: "No such tool." });
    }
    await respondToCall({ response, id, result, behaviours: this.#behaviours, signal });
  }

  #resultOf({ params, token, isModern }: Asked, answers: unknown): object | undefined {
    const { token_echo: echoes, call } = this.#behaviours;
    const result = this.#desk.call(String(params["name"]), { ...Object(params["arguments"]) });
    if (result === undefined) return undefined;
    const complete = isModern ? { resultType: "complete" } : {};
    const content = [
      ...result.content,
      ...(answers === undefined
        ? []
        : [{ type: "text", text: `answers: ${JSON.stringify(answers)}` }]),
      ...(echoes ? [{ type: "text", text: `You sent Bearer ${token}, ${btoa(token)}` }] : []),
    ];
    if (call !== "tool_error") return { ...complete, content };
    return {
      ...complete,
      isError: true,
      content: [{ type: "text", text: `It failed. ${echoes ? token : ""}` }],
    };
  }
}

interface Asked {
  readonly id: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly isModern: boolean;
  readonly token: string;
  readonly signal: AbortSignal;
}

function accept(response: ServerResponse): void {
  response.writeHead(202);
  response.end();
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain" });
  response.end(message);
}

function sendError(response: ServerResponse, id: string | number, error: object): void {
  sendEvents(response, [{ jsonrpc: "2.0", id, error }]);
}
