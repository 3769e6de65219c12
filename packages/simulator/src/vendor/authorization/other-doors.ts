import { renderFirst, renderTemplate } from "@jackfield/catalogue";
import { expectFields, flatten, wantedOfJson } from "../calls/expect-fields.ts";
import { placeOf, type Received, Refusal, readFields, toPlace } from "../exchange/received.ts";
import { type Reply, replyJson } from "../exchange/write-answer.ts";
import { newSecret, notePassed, type VendorState, valuesOf } from "../vendor-state.ts";
import type { ConsentRequest } from "./authorize.ts";
import { findServer } from "./code-flow.ts";

/** Installations that a browser begins without OAuth: of an app, or of a plugin. */
export function readInstallRequest(
  state: VendorState,
  received: Received,
  { setupUrl }: { setupUrl: string },
): ConsentRequest | undefined {
  const { provider } = state;
  const values = valuesOf(state, undefined, { credentials: undefined });
  if (provider.auth_mode === "APP") {
    if (placeOf(received) !== toPlace(renderFirst(provider.authorization_url, values) ?? ""))
      return undefined;
    const flowState = received.query.get("state") ?? "";
    if (flowState === "") throw new Refusal("authorize", "state is missing");
    const back = (params: Record<string, string>) =>
      withParams(setupUrl, { ...params, state: flowState });
    return {
      scopes: [],
      returnsTo: setupUrl,
      allow() {
        notePassed(state, "authorize");
        return back({ installation_id: "4711", setup_action: "install" });
      },
      deny: () => back({ setup_action: "request" }),
    };
  }
  if (provider.auth_mode !== "INSTALL_PLUGIN") return undefined;
  if (placeOf(received) !== toPlace(renderTemplate(provider.install_url, values))) return undefined;
  const { callback } = provider;
  const redirect =
    callback.redirect === undefined ? setupUrl : (received.query.get(callback.redirect) ?? "");
  if (!URL.canParse(redirect)) throw new Refusal("authorize", `${callback.redirect} is no address`);
  return {
    scopes: [],
    returnsTo: redirect,
    allow() {
      notePassed(state, "authorize");
      return withParams(redirect, {
        [callback.username]: "ada",
        [callback.password]: "plugin-pass+/=",
      });
    },
    deny: () => withParams(redirect, { [callback.error]: "access_denied" }),
  };
}

function withParams(address: string, params: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}

/** RFC 7591, for entries that have their client registered on the way. */
export function answerRegistration(state: VendorState, received: Received): Reply | undefined {
  const { provider } = state;
  const values = valuesOf(state, undefined);
  const url =
    provider.auth_mode === "MCP_OAUTH2" && provider.registration_url !== undefined
      ? renderTemplate(provider.registration_url, values)
      : findServer(state)?.registrationUrl;
  if (url === undefined || received.isBrowser || placeOf(received) !== toPlace(url))
    return undefined;
  const fields = readFields(received, "json");
  const got = flatten(fields);
  const wanted =
    provider.auth_mode === "MCP_OAUTH2"
      ? wantedOfJson(provider.registration_params, values)
      : new Map();
  expectFields({ stage: "register", what: "the field", got, wanted, exact: false });
  if (!got.has("redirect_uris.0")) throw new Refusal("register", "redirect_uris is empty");
  const method = got.get("token_endpoint_auth_method") ?? "client_secret_basic";
  const id = newSecret(state, "client");
  const secret = method === "none" ? "" : newSecret(state, "secret");
  state.clients.set(id, { id, secret });
  notePassed(state, "register");
  return replyJson(
    {
      client_id: id,
      ...(secret === "" ? {} : { client_secret: secret }),
      token_endpoint_auth_method: method,
      redirect_uris: fields["redirect_uris"],
    },
    201,
  );
}

/** What an MCP server and its authorization server say of themselves (RFC 9728, RFC 8414). */
export function answerDiscovery(state: VendorState, received: Received): Reply | undefined {
  const server = findServer(state);
  if (server === undefined || received.method !== "GET") return undefined;
  const place = placeOf(received);
  const { origin, pathname } = new URL(server.server);
  const metadata = `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}`;
  if (place === toPlace(metadata)) {
    return replyJson({
      resource: server.server,
      authorization_servers: [server.issuer],
      scopes_supported: [],
    });
  }
  if (place === `${server.issuer}/.well-known/oauth-authorization-server`) {
    return replyJson({
      issuer: server.issuer,
      authorization_endpoint: server.authorizationUrl,
      token_endpoint: server.tokenUrl,
      registration_endpoint: server.registrationUrl,
      revocation_endpoint: server.revocationUrl,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["client_secret_post", "none"],
      authorization_response_iss_parameter_supported: true,
    });
  }
  if (place !== toPlace(server.server) || received.headers.authorization !== undefined)
    return undefined;
  const challenge = `Bearer resource_metadata="${metadata}"`;
  return replyJson({ error: "unauthorized" }, 401, { "www-authenticate": challenge });
}
