import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

/** Who issues the tokens, and says what one is for. */
interface Issuer {
  readonly issuer: string;
  readToken(
    token: string,
  ): Promise<{ readonly audience: string; readonly scopes: readonly string[] } | undefined>;
}

/** A server of the protocol that takes tokens of an authorization server, for its own address alone. */
export interface OauthDesk extends AsyncDisposable {
  readonly url: string;
  /** Titles of the notes that its tool was called with. */
  readonly notes: string[];
  /** Tokens with which its requests came, and how they were answered. */
  readonly seen: { readonly token: string; readonly method: string; readonly status: number }[];
}

export async function startOauthDesk(oidc: Issuer): Promise<OauthDesk> {
  const notes: string[] = [];
  const seen: OauthDesk["seen"] = [];
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a port, not on a socket file.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  const handler = createMcpHandler(() => createDesk(notes));
  const answer = async (path: string, message: Request, text: string): Promise<Response> => {
    if (path !== "/mcp") {
      if (!metadata.endsWith(path)) return new Response(null, { status: 404 });
      const scopes_supported = ["openid", "offline_access", "notes:read"];
      return Response.json({
        resource: url,
        authorization_servers: [oidc.issuer],
        scopes_supported,
      });
    }
    const token = message.headers.get("authorization")?.slice("Bearer ".length) ?? "";
    const { method = "", params } = text === "" ? {} : JSON.parse(text);
    const note = (status: number) => seen.push({ token, method, status });
    const found = token === "" ? undefined : await oidc.readToken(token);
    if (found?.audience !== url) {
      note(401);
      const challenge = `Bearer error="invalid_token", resource_metadata="${metadata}"`;
      return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
    }
    if (params?.name === "delete_notes" && !found.scopes.includes("notes:delete")) {
      note(403);
      const challenge = `Bearer error="insufficient_scope", scope="notes:read notes:delete", resource_metadata="${metadata}"`;
      return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
    }
    note(200);
    return await handler.fetch(message, { parsedBody: text === "" ? undefined : JSON.parse(text) });
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString();
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
    const { method = "GET", url: path = "/" } = request;
    const init = { method, headers, ...(body === "" ? {} : { body }) };
    const result = await answer(path, new Request(new URL(path, origin), init), body);
    response.writeHead(result.status, Object.fromEntries(result.headers));
    response.end(Buffer.from(await result.arrayBuffer()));
  };
  server.on("request", (request, response) => void serve(request, response));
  return {
    ...{ url, notes, seen },
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

function createDesk(notes: string[]): McpServer {
  const desk = new McpServer({ name: "notes", version: "1.0.0" });
  desk.registerTool(
    "add_note",
    { description: "Adds a note", inputSchema: z.object({ title: z.string() }) },
    async ({ title }) => {
      notes.push(title);
      return { content: [{ type: "text", text: JSON.stringify({ count: notes.length }) }] };
    },
  );
  desk.registerTool("delete_notes", { description: "Deletes all notes" }, async () => {
    notes.length = 0;
    return { content: [{ type: "text", text: "{}" }] };
  });
  return desk;
}
