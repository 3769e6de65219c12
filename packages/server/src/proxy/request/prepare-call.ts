import { type AuthSubject, getAuthMode } from "#auth-modes";
import type { EnvironmentContext } from "#foundation";
import { toSigningSubject } from "#integrations";
import type { ProviderCall } from "../call.ts";
import { chooseBaseUrl, type WantedBase } from "./choose-base-url.ts";

/** What a caller asks for; the rest of a call follows from the connection. */
export interface WantedCall
  extends Omit<ProviderCall, "subject" | "mode" | "baseUrl" | "body">,
    Pick<WantedBase, "override" | "knownHostsOnly"> {
  /** An address that the entry says for this very call; otherwise that of the integration or the entry. */
  readonly baseUrl?: string;
  /** Read last, when everything else of the call is known to be right. */
  readBody(facts: Pick<ProviderCall, "mode" | "subject">): Promise<ProviderCall["body"]>;
}

/** A call with what it takes to make it; throws what chooseBaseUrl throws. */
export async function prepareCall(
  ctx: EnvironmentContext,
  { override, knownHostsOnly, readBody, baseUrl: given, ...wanted }: WantedCall,
): Promise<ProviderCall> {
  const { integration, connection, path } = wanted;
  const subject = await toSigningSubject(ctx, integration, connection.connectionConfig);
  const mode = modeOf(subject);
  const base = { path, override, knownHostsOnly };
  const baseUrl = given ?? chooseBaseUrl(ctx.actor, integration, subject, base);
  return { ...wanted, subject, mode, baseUrl, body: await readBody({ mode, subject }) };
}

export function modeOf(subject: AuthSubject): ProviderCall["mode"] {
  return getAuthMode(subject.provider.auth_mode);
}
