import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { queryOptions } from "@tanstack/react-query";
import { callApi } from "../api.ts";

export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: async ({ signal }) => (await callApi("listPasskeys", { signal })).data,
});

/** Whether this browser knows passkeys. */
export function hasPasskeys(): boolean {
  return browserSupportsWebAuthn();
}

/** What the person's device signs to prove who they are; throws when they do not agree. */
export async function signWithPasskey(): Promise<AuthenticationResponseJSON> {
  const { data } = await callApi("getPasskeySignInOptions");
  return await startAuthentication({ optionsJSON: Object(data) });
}

export async function addPasskey(name: string): Promise<void> {
  const { data } = await callApi("getPasskeyOptions");
  const passkey = await startRegistration({ optionsJSON: Object(data) });
  await callApi("addPasskey", { body: { name, passkey: Object(passkey) } });
}

/** Whether the person said no, or their device: nothing went wrong then. */
export function isDeclined(error: unknown): boolean {
  const { name } = Object(error);
  return name === "NotAllowedError" || name === "AbortError";
}
