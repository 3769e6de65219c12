import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { queryClient } from "../query-client.ts";

export type ApiKey = AnswerOf<"listApiKeys">["data"][number];
export type NewKey = AnswerOf<"createApiKey">["data"];

/** Whose keys: those of an environment, by its name, or those of the account. */
export type KeyOwner = { readonly environment: string } | "account";

/** What an action on keys of this owner needs. */
export function scopeOfKeys(owner: KeyOwner, action: "create" | "update" | "delete"): string {
  return `${owner === "account" ? "account" : "environment"}:api_keys:${action}`;
}

export interface KeyChange {
  readonly display_name?: string;
  readonly scopes?: readonly string[];
  readonly expires_at?: string | null;
}

export function keysQuery(owner: KeyOwner) {
  return queryOptions({
    queryKey: keyOf(owner),
    queryFn: async ({ signal }) =>
      owner === "account"
        ? (await callApi("listAccountApiKeys", { signal })).data
        : (await callApi("listApiKeys", { ...owner, signal })).data,
  });
}

export async function createKey(owner: KeyOwner, change: KeyChange): Promise<NewKey> {
  const body = Object(change);
  return owner === "account"
    ? (await callApi("createAccountApiKey", { body })).data
    : (await callApi("createApiKey", { ...owner, body })).data;
}

export async function updateKey(owner: KeyOwner, id: string, change: KeyChange): Promise<void> {
  const body = Object({ ...change, key_id: id });
  if (owner === "account") await callApi("updateAccountApiKey", { body });
  else await callApi("updateApiKey", { ...owner, body });
}

/** Puts a key like it in its place; the old one works for so many seconds more. */
export async function replaceKey(owner: KeyOwner, id: string, graceSeconds: number) {
  const body = { key_ids: [id], grace_seconds: graceSeconds };
  const { data } =
    owner === "account"
      ? await callApi("replaceAccountApiKeys", { body })
      : await callApi("replaceApiKeys", { ...owner, body });
  return data[0];
}

export async function deleteKey(owner: KeyOwner, id: string): Promise<void> {
  const body = { key_id: id };
  if (owner === "account") await callApi("deleteAccountApiKey", { body });
  else await callApi("deleteApiKey", { ...owner, body });
}

export async function readKeysAgain(owner: KeyOwner): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: keyOf(owner) });
}

/** The second word of what is read again when an environment has changed is the environment's name. */
function keyOf(owner: KeyOwner): readonly string[] {
  return owner === "account" ? ["account-keys"] : ["keys", owner.environment];
}
