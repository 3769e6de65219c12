import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Browser } from "./browser.ts";
import { allow, type Kept, newAuthProvider } from "./oauth-client.ts";

/** Connects by URL alone with the official SDK of the first generation; without a document it registers itself. */
export async function connectFirstSdk(
  mcpUrl: string,
  { browser, documentUrl }: { browser: Browser; documentUrl: string | undefined },
): Promise<{ client: Client; clientId: string | undefined }> {
  const kept: Kept = {};
  const authProvider = newAuthProvider(kept, documentUrl);
  const begin = () => ({
    transport: new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider }),
    client: new Client({ name: "first", version: "1" }, { capabilities: { elicitation: {} } }),
  });
  const first = begin();
  try {
    await first.client.connect(asTransport(first.transport));
    throw new Error("nobody was asked");
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || kept.location === undefined) throw error;
  }
  const back = await allow(browser, kept.location);
  await first.transport.finishAuth(back.searchParams.get("code") ?? "");
  const second = begin();
  await second.client.connect(asTransport(second.transport));
  return { client: second.client, clientId: kept.client?.client_id };
}

// Its class says `sessionId?: string` where its interface, under exact optional types, has no undefined.
function asTransport(transport: StreamableHTTPClientTransport): Parameters<Client["connect"]>[0] {
  return transport as Parameters<Client["connect"]>[0];
}
