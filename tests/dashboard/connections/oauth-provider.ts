import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "../../people/people-under-test.ts";

/** A provider that renews tokens, and says which scopes it granted. */
export interface OAuthProvider extends AsyncDisposable {
  readonly url: string;
}

export async function startOAuthProvider(token: object): Promise<OAuthProvider> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(token));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The integration `crm` of this provider, which asks for two scopes. */
export async function addCrm(
  owner: Browser,
  environment: string,
  { url }: OAuthProvider,
): Promise<void> {
  const body = {
    ...{ provider: "oauth2-generic", unique_key: "crm" },
    credentials: { type: "OAUTH2", client_id: "id", client_secret: "s", scopes: "read,write" },
    integration_config: {
      authorization_url: `${url}/authorize`,
      token_url: `${url}/token`,
      base_url: url,
    },
  };
  const { status, text } = await owner.call("POST", "/integrations", { environment, body });
  if (status >= 300) throw new Error(text);
}
