import {
  type ProviderOf,
  renderOptional,
  renderTemplate,
  type Template,
  TemplateError,
} from "@jackfield/catalogue";
import { AppError, SECOND } from "#platform";
import type { EgressResponse } from "#platform/egress";
import { type AuthSubject, type AuthTools, RefreshFailure } from "./auth-mode.ts";
import { toTemplateValues } from "./template-values.ts";
import { parseTokenAnswer } from "./token-answer.ts";
import { toRefreshFailure } from "./token-failure.ts";

// An early end after the server has rotated a refresh token loses it, so patience is cheaper.
const TIMEOUT_MS = 60 * SECOND;
const MAX_ANSWER_BYTES = 1024 * 1024;

export interface Client {
  readonly id: string;
  readonly secret: string;
}

export interface TokenRequest {
  readonly provider: ProviderOf<"OAUTH2" | "OAUTH2_CC">;
  readonly url: Template;
  readonly client: Client;
  /** Parameters of the grant; the entry's follow. */
  readonly grant: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, Template>>;
}

/** One call of the token endpoint (RFC 6749 section 3.2); throws RefreshFailure when no token comes. */
export async function requestToken(
  subject: AuthSubject,
  request: TokenRequest,
  tools: AuthTools,
): Promise<Record<string, unknown>> {
  const response = await send(writeRequest(subject, request), tools);
  const answer = parseTokenAnswer(response.body);
  const granted = answer !== undefined && typeof answer["access_token"] === "string";
  if (granted && answer["access_token"] !== "" && response.status < 300) return answer;
  throw toRefreshFailure(response, answer, tools.now);
}

interface WrittenRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

function writeRequest(subject: AuthSubject, request: TokenRequest): WrittenRequest {
  const { provider, client, grant, params } = request;
  const values = toTemplateValues(subject);
  try {
    const method = renderTemplate(provider.token_auth_method, values);
    const fields: Record<string, string> = { ...grant };
    for (const [name, template] of Object.entries(params)) {
      const value = renderOptional(template, values);
      if (value !== undefined) fields[name] = value;
    }
    const headers: Record<string, string> = {
      accept: "application/json",
      "user-agent": "Jackfield",
    };
    if (method === "client_secret_basic") headers["authorization"] = toBasic(client);
    else fields["client_id"] = client.id;
    if (method === "client_secret_post") fields["client_secret"] = client.secret;
    const json = provider.body_format === "json";
    headers["content-type"] = json ? "application/json" : "application/x-www-form-urlencoded";
    return {
      url: renderTemplate(request.url, values),
      headers,
      body: json ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
    };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const message = `The token request cannot be built: ${error.message}; check the integration's configuration.`;
    throw new RefreshFailure("misconfigured", message, { cause: error });
  }
}

/** Id and secret are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function toBasic({ id, secret }: Client): string {
  const pair = `${formEncode(id)}:${formEncode(secret)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

function formEncode(text: string): string {
  return new URLSearchParams({ _: text }).toString().slice("_=".length);
}

async function send(request: WrittenRequest, tools: AuthTools): Promise<EgressResponse> {
  try {
    return await tools.http.request({
      method: "POST",
      ...request,
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
      signal: tools.signal,
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const kind = error.code === "destination_not_allowed" ? "misconfigured" : "unavailable";
    throw new RefreshFailure(kind, `The token endpoint was not reached: ${error.message}`, {
      cause: error,
    });
  }
}
