import {
  type AuthorizationCodeRules,
  type Provider,
  renderOptional,
  renderTemplate,
} from "@jackfield/catalogue";
import { toTemplateValues } from "../apply/template-values.ts";
import { renderAll, renderHeaders, writeCall } from "../apply/write-call.ts";
import type { AuthSubject, AuthTools, Credentials } from "../auth-mode.ts";
import { ProviderFailure } from "../observe/provider-failure.ts";
import type { SigningFacts } from "../proof/signing-facts.ts";
import { authenticateClient } from "./client-auth.ts";
import { type OAuthClient, toClientValues } from "./oauth-client.ts";
import { build, buildSigned, sendProven } from "./request-token.ts";
import { refusesClient, sendAsClient } from "./send-as-client.ts";

type Rules = Pick<
  AuthorizationCodeRules,
  "revocation" | "token_auth_method" | "client_assertion" | "xml_root"
>;

/** Whether the entry says how its tokens are withdrawn. */
export function declaresRevocation({ provider }: AuthSubject): boolean {
  return "revocation" in provider && provider.revocation !== undefined;
}

/** Whether a withdrawal would also end tokens that the user gave to other connections with the same client. */
export function endsOtherTokens(provider: Provider): boolean {
  return "revocation" in provider && provider.revocation?.ends_grant === true;
}

/** Withdraws a token (RFC 7009, or the provider's own way); does nothing where the entry names none. */
export async function revokeToken(
  subject: AuthSubject,
  rules: Rules,
  client: OAuthClient,
  { credentials, token }: { credentials: Credentials; token: string | undefined },
  tools: AuthTools,
): Promise<void> {
  const { revocation } = rules;
  if (revocation === undefined || token === undefined) return;
  const known = { ...toTemplateValues(subject, credentials), now: tools.now };
  const url = build(() =>
    renderOptional(revocation.url, { ...known, client: toClientValues(client) }),
  );
  // The entry leaves it to the integration to name an address.
  if (url === undefined) return;
  const write = async (client: OAuthClient, { now }: SigningFacts) =>
    await buildSigned(async () => {
      const values = { ...known, client: toClientValues(client) };
      const method = revocation.client_auth
        ? renderTemplate(rules.token_auth_method, values)
        : "custom";
      const assertion = rules.client_assertion;
      const auth = await authenticateClient({ method, client, url, assertion, values, now });
      const own = Object.keys(revocation.params).length === 0 ? { token } : {};
      const fields = { ...own, ...renderAll(revocation.params, values), ...auth.fields };
      const headers = { ...auth.headers, ...renderHeaders(revocation.headers, values) };
      const { method: verb, body_format: format } = revocation;
      return {
        ...writeCall({ method: verb, url, format, headers, fields }),
        certified: auth.withCertificate ? client : undefined,
      };
    });
  const send = async (client: OAuthClient) =>
    await sendProven(url, async (facts) => await write(client, facts), tools);
  const { response } = await sendAsClient(client, send, tools);
  const { status } = response;
  if (status < 300) return;
  // What is gone already is as good as withdrawn; of a client that is refused nothing was looked at.
  const isGone = status === 401 || status === 404 || status === 410;
  if (isGone && !refusesClient(response)) return;
  const answered = `The provider answered ${status} to the withdrawal of the token`;
  throw new ProviderFailure(
    "unavailable",
    `${answered}; end its access in the provider's own settings.`,
  );
}
