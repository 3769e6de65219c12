import type { EgressResponse } from "#foundation/egress";
import type { AuthTools } from "../auth-mode.ts";
import type { OAuthClient } from "./oauth-client.ts";
import { parseTokenAnswer } from "./token-answer.ts";

/** An answer, and the client whose secret led to it. */
interface AnsweredClient {
  readonly response: EgressResponse;
  readonly client: OAuthClient;
}

/**
 * Asks an authorization server as the client; with the secret before a recent change where it does not take the
 * new one yet.
 */
export async function sendAsClient(
  client: OAuthClient,
  send: (client: OAuthClient) => Promise<EgressResponse>,
  { warn }: Pick<AuthTools, "warn">,
): Promise<AnsweredClient> {
  const response = await send(client);
  const { previousSecret } = client;
  if (previousSecret === undefined || !refusesClient(response)) return { response, client };
  const before = { ...client, secret: previousSecret, previousSecret: undefined };
  const second = await send(before);
  if (refusesClient(second)) return { response, client };
  warn?.(
    "The provider refuses the integration's client secret and takes the one before: set the same secret there and here.",
  );
  return { response: second, client: before };
}

/** GitHub says the same in its own words, and with status 200. */
const refusals: ReadonlySet<unknown> = new Set(["invalid_client", "incorrect_client_credentials"]);

/** Whether the client was not authenticated (RFC 6749 section 5.2), so that nothing else was looked at. */
export function refusesClient({ status, body }: EgressResponse): boolean {
  return status < 500 && refusals.has(parseTokenAnswer(body)?.["error"]);
}
