import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { Browser } from "./browser.ts";
import { REDIRECT } from "./oauth-app.ts";

export type Kept = {
  client?: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  tokens?: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  verifier?: string;
  location?: URL;
  discovery?: Parameters<NonNullable<OAuthClientProvider["saveDiscoveryState"]>>[0];
};

/** What an app keeps of its authorization; without a document it registers itself. */
export function newAuthProvider(kept: Kept, documentUrl?: string): OAuthClientProvider {
  return {
    redirectUrl: REDIRECT,
    ...(documentUrl === undefined ? {} : { clientMetadataUrl: documentUrl }),
    clientMetadata: {
      ...{ client_name: "Test app", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" },
      ...{ grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (location) => {
      kept.location = location;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? "",
    saveDiscoveryState: (state) => {
      kept.discovery = state;
    },
    discoveryState: () => kept.discovery,
  };
}

export type Decide = (browser: Browser, location: URL) => Promise<URL>;

/** Connects by URL alone: the official client, with a browser that its user looks at. */
export async function connectByUrl(
  mcpUrl: string,
  {
    browser,
    decide = allow,
    documentUrl,
    kept = {},
    options,
  }: {
    browser: Browser;
    decide?: Decide;
    documentUrl?: string | undefined;
    kept?: Kept;
    options?: ConstructorParameters<typeof Client>[1];
  },
): Promise<{ client: Client; kept: Kept }> {
  const authProvider = newAuthProvider(kept, documentUrl);
  const begin = () => {
    const transport = new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider });
    return { transport, client: new Client({ name: "test", version: "1" }, options) };
  };
  const first = begin();
  try {
    await first.client.connect(first.transport);
    return { client: first.client, kept };
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || kept.location === undefined) throw error;
  }
  const back = await decide(browser, kept.location);
  await first.transport.finishAuth(back.searchParams);
  const second = begin();
  await second.client.connect(second.transport);
  return { client: second.client, kept };
}

/** Opens the page and allows what it asks. */
export const allow: Decide = async (browser, location) => {
  const page = await browser.open(location, REDIRECT);
  if (page.url.href.startsWith(REDIRECT)) return page.url;
  const back = await browser.press(page, "allow", REDIRECT);
  if (!back.url.href.startsWith(REDIRECT)) throw new Error(`${back.url.pathname}: ${back.text}`);
  return back.url;
};
