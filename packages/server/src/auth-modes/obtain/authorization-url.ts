import {
  isReservedAuthorizationParam,
  renderFirst,
  renderTemplate,
  type Template,
  TemplateError,
  type TemplateValues,
} from "@jackfield/catalogue";
import { calculatePKCECodeChallenge } from "oauth4webapi";
import { AppError, invalidFields } from "#foundation";
import { toTemplateValues } from "../apply/template-values.ts";
import { renderAll } from "../apply/write-call.ts";
import type { AuthorizationStart, AuthSubject } from "../auth-mode.ts";
import type { CodeFlow } from "./code-flow.ts";
import type { OAuthClient } from "./oauth-client.ts";
import { renamed } from "./request-token.ts";

/** The address of the authorization request (RFC 6749 section 4.1.1, RFC 7636). */
export async function toAuthorizationUrl(
  subject: AuthSubject,
  flow: CodeFlow,
  client: OAuthClient,
  start: AuthorizationStart,
): Promise<string> {
  // The secret stays out: this URL goes through the browser.
  const { app_link } = subject.integrationCredentials ?? {};
  const values = { ...toTemplateValues(subject), client: { id: client.id, app_link } };
  const pkce = buildUrl(() => renderTemplate(flow.pkce, values));
  const challenge = await toChallenge(pkce, start.codeVerifier);
  return buildUrl(() => {
    const base = renderFirst(flow.authorization_url, values) ?? requireUrl(flow, values);
    const params = {
      ...renderAll(flow.authorization_params, values),
      ...checkedParams(start.authorizationParams),
      ...toUserScopes(flow, start, values),
      ...renamed(
        { ...toOwnParams(subject, flow, client, start, values), ...challenge },
        flow.authorization_rename,
      ),
    };
    return writeUrl(base, params, flow);
  });
}

function requireUrl({ authorization_url: urls }: CodeFlow, values: TemplateValues): string {
  const last = urls.at(-1);
  if (last === undefined) throw new TemplateError("there is no authorization URL");
  return renderTemplate(last, values);
}

/**
 * Runs the work; a template that cannot be filled throws integration_misconfigured, or
 * invalid_query_params where a value that the end user entered is at fault.
 */
export function buildUrl<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const [, name] = /^config\.([A-Za-z0-9_-]+)$/.exec(error.reference ?? "") ?? [];
    if (name !== undefined) {
      const message = `does not fit the authorization address: ${error.message}`;
      throw invalidFields("invalid_query_params", [{ path: ["params", name], message }]);
    }
    const message = `The authorization address cannot be built: ${error.message}; check the integration's configuration.`;
    throw new AppError("integration_misconfigured", message, { cause: error });
  }
}

/** What the caller adds; `undefined` as a text takes a parameter of the entry out. */
function checkedParams(params: Readonly<Record<string, string>>): Record<string, string> {
  for (const name of Object.keys(params)) refuseReserved(name);
  return { ...params };
}

function refuseReserved(name: string): void {
  if (!isReservedAuthorizationParam(name)) return;
  const message = `authorization_params may not set ${name}: Jackfield sets it.`;
  throw new AppError("invalid_query_params", message, {
    details: [{ code: "custom", message, path: ["authorization_params", name] }],
  });
}

function toUserScopes(
  { user_scope_parameter: name, scope_separator: separator }: CodeFlow,
  { userScopes }: AuthorizationStart,
  values: TemplateValues,
): Record<string, string> {
  if (name === undefined || !userScopes) return {};
  return { [name]: joinScopes(userScopes.split(","), separator, values) };
}

function toOwnParams(
  subject: AuthSubject,
  flow: CodeFlow,
  client: OAuthClient,
  start: AuthorizationStart,
  values: TemplateValues,
): Record<string, string> {
  const asked = start.scopesOverride ?? subject.integrationCredentials?.scopes ?? "";
  const scopes = [...asked.split(",").filter((scope) => scope !== ""), ...flow.required_scopes];
  return {
    response_type: "code",
    client_id: client.id,
    redirect_uri: start.redirectUri,
    state: start.state,
    ...(scopes.length === 0
      ? {}
      : { scope: joinScopes([...new Set(scopes)], flow.scope_separator, values) }),
  };
}

function joinScopes(
  scopes: readonly string[],
  separator: Template,
  values: TemplateValues,
): string {
  return scopes.map((scope) => scope.trim()).join(renderTemplate(separator, values));
}

async function toChallenge(method: string, verifier: string): Promise<Record<string, string>> {
  if (method === "none") return {};
  if (method === "plain") return { code_challenge: verifier, code_challenge_method: "plain" };
  const challenge = await calculatePKCECodeChallenge(verifier);
  return { code_challenge: challenge, code_challenge_method: "S256" };
}

function writeUrl(
  base: string,
  params: Readonly<Record<string, string>>,
  { authorization_unencoded: unencoded, authorization_fragment: fragment }: CodeFlow,
): string {
  const url = new URL(base);
  const raw: string[] = [];
  for (const [name, value] of Object.entries(params)) {
    if (value === "undefined") url.searchParams.delete(name);
    else if (unencoded.includes(name)) raw.push(`${name}=${requirePlain(name, value)}`);
    else url.searchParams.set(name, value);
  }
  const encoded = url.searchParams.toString();
  const query = [...(encoded === "" ? [] : [encoded]), ...raw].join("&");
  url.search = "";
  if (fragment === undefined) return query === "" ? url.href : `${url.href}?${query}`;
  return `${url.href}#${fragment}?${query}`;
}

/** Values that are written without encoding must not add parameters or a fragment of their own. */
function requirePlain(name: string, value: string): string {
  if (/^[^\s&#"<>\\]*$/.test(value)) return value;
  throw new TemplateError(`${name} has a character that cannot stand unencoded in an address`);
}
