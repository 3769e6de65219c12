import { AuthError } from "@jackfield/frontend";
import { parseJson, toAuthError } from "@jackfield/frontend/api";
import { dataOf, type Session } from "../platform.ts";

/** What the link is for. */
export interface OpenedLink {
  readonly integrations: readonly string[] | null;
  readonly asks_for: string | null;
  readonly expires_at: string;
  readonly needs_code: boolean;
  readonly language: string | null;
  readonly connectUISettings: NonNullable<Session["connectUISettings"]>;
}

export async function openLink(host: string, token: string): Promise<OpenedLink> {
  return dataOf(await post(`${host}/connect/links/open`, { token }));
}

/** Begins the session; the address of its page. */
export async function spendLink(
  host: string,
  { token, code }: { token: string; code: string },
): Promise<string> {
  const body = code === "" ? { token } : { token, code };
  const answer = await post(`${host}/connect/links/use`, body);
  return dataOf<{ connect_link: string }>(answer).connect_link;
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new AuthError("The server cannot be reached.", "network_error");
  });
  const answer = parseJson(await response.text());
  if (!response.ok) throw toAuthError(response.status, answer);
  return answer;
}
