import { renderTemplate } from "@jackfield/catalogue";
import { toTemplateValues } from "../apply/template-values.ts";
import { renderHeaders, writeCall } from "../apply/write-call.ts";
import type { AuthSubject, AuthTools } from "../auth-mode.ts";
import { failedAs } from "../observe/provider-failure.ts";
import type { SigningFacts } from "../proof/signing-facts.ts";
import { authenticateClient } from "./client-auth.ts";
import { type CodeFlow, toFailedAuthorization } from "./code-flow.ts";
import { type OAuthClient, toClientValues } from "./oauth-client.ts";
import { build, buildSigned, sendProven } from "./request-token.ts";
import { sendAsClient } from "./send-as-client.ts";
import { parseTokenAnswer } from "./token-answer.ts";

/**
 * Hands the request's parameters to the provider beforehand, where the entry says so (RFC 9126); the
 * browser then carries only a reference. Throws ProviderFailure.
 */
export async function pushAuthorization(
  subject: AuthSubject,
  flow: CodeFlow,
  client: OAuthClient,
  location: string,
  tools: AuthTools,
): Promise<string> {
  const { pushed_authorization_url: template } = flow;
  if (template === undefined) return location;
  const values = { ...toTemplateValues(subject), client: toClientValues(client), now: tools.now };
  const page = new URL(location);
  const url = build(() => renderTemplate(template, values));
  const write = async (client: OAuthClient, { now }: SigningFacts) =>
    await buildSigned(async () => {
      const method = renderTemplate(flow.token_auth_method, values);
      const assertion = flow.client_assertion;
      const auth = await authenticateClient({ method, client, url, assertion, values, now });
      const fields = { ...Object.fromEntries(page.searchParams), ...auth.fields };
      const headers = { ...auth.headers, ...renderHeaders(flow.token_headers, values) };
      return {
        ...writeCall({ method: "POST", url, format: "form", headers, fields }),
        certified: auth.withCertificate ? client : undefined,
      };
    });
  const send = async (client: OAuthClient) =>
    await sendProven(url, async (facts) => await write(client, facts), tools);
  const { response } = await sendAsClient(client, send, tools).catch((error: unknown) => {
    throw toFailedAuthorization(subject, error);
  });
  const { status, body } = response;
  const reference = parseTokenAnswer(body)?.["request_uri"];
  if (status >= 300 || typeof reference !== "string") {
    const message = `${subject.provider.display_name} refused the authorization request (${status}); check the integration's client and scopes.`;
    throw failedAs("token_err", message);
  }
  page.search = new URLSearchParams({ client_id: client.id, request_uri: reference }).toString();
  return page.href;
}
