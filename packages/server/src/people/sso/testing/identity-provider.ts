import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Configuration, Provider } from "oidc-provider";

/** What an ID token says of who has signed in. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

/** A certified identity provider on loopback, where the given person signs in without being asked. */
export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Walks a browser through it, from the address that it was sent to; answers the address that it is sent back to. */
  signIn(location: string, person: Person): Promise<string>;
}

export const CLIENT = { id: "jackfield", secret: "a-secret-of-the-client" } as const;

/** `redirectUris`: filled in once the client's id there is known. */
export async function startIdentityProvider(redirectUris: string[]): Promise<IdentityProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const issuer = `http://127.0.0.1:${port}`;
  const people = new Map<string, Person>();
  let current = "";
  const begin = () => {
    const provider = new Provider(issuer, toConfiguration(redirectUris, people));
    const callback = provider.callback();
    handle = async (request, response) => {
      if (request.url?.startsWith("/interaction/") !== true)
        return await callback(request, response);
      await agree(provider, current, { request, response });
    };
  };
  begin();
  return {
    issuer,
    async signIn(location, person) {
      begin();
      people.set(person.sub, person);
      current = person.sub;
      return await walk(location, redirectUris[0] ?? "");
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

function toConfiguration(
  redirectUris: readonly string[],
  people: ReadonlyMap<string, Person>,
): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: redirectUris.length === 0 ? ["http://localhost/none"] : [...redirectUris],
        token_endpoint_auth_method: "client_secret_post",
        application_type: "native",
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" }] },
    cookies: { keys: ["a secret of this test"] },
    features: { devInteractions: { enabled: false } },
    conformIdTokenClaims: false,
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"], profile: ["name"] },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ ...people.get(id), sub: id }) }),
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: 60,
      IdToken: 60,
      Interaction: 60,
      Session: 60,
    },
  };
}

async function agree(
  provider: Provider,
  accountId: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const { prompt, params } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  const grant = new provider.Grant({ accountId, clientId: String(params["client_id"]) });
  grant.addOIDCScope("openid email profile");
  const consent = { grantId: await grant.save() };
  const merged = { mergeWithLastSubmission: true };
  await provider.interactionFinished(request, response, { consent }, merged);
}

async function walk(location: string, end: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = location;
  for (let hop = 0; hop < 10 && !url.startsWith(end); hop += 1) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const text of answer.headers.getSetCookie()) {
      const [pair = ""] = text.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const next = answer.headers.get("location");
    if (next === null) throw new Error(`${answer.status}: ${await answer.text()}`);
    url = new URL(next, url).href;
  }
  return url;
}
