import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, type CallOf, callApi } from "../api.ts";
import { queryClient } from "../query-client.ts";

export type Settings = AnswerOf<"getEnvironmentSettings">["data"];
export type SettingsChange = NonNullable<CallOf<"updateEnvironmentSettings">["body"]>;
export type WebhookSettings = AnswerOf<"getWebhookSettings">["data"];
export type Variable = AnswerOf<"listEnvironmentVariables">[number];

export function settingsQuery(environment: string) {
  return queryOptions({
    queryKey: ["settings", environment],
    queryFn: async ({ signal }) =>
      (await callApi("getEnvironmentSettings", { environment, signal })).data,
  });
}

export type SettingChange = AnswerOf<"listSettingChanges">["data"][number];

/** Who changed each setting last; names stay when the person or the key has gone. */
export function settingChangesQuery(environment: string) {
  return queryOptions({
    queryKey: ["setting-changes", environment],
    queryFn: async ({ signal }) =>
      (await callApi("listSettingChanges", { environment, signal })).data,
  });
}

/** After one was changed. */
export async function readChangesAgain(environment: string): Promise<void> {
  const { queryKey } = settingChangesQuery(environment);
  await queryClient.invalidateQueries({ queryKey });
}

export async function changeSettings(environment: string, body: SettingsChange): Promise<void> {
  const { data } = await callApi("updateEnvironmentSettings", { environment, body });
  queryClient.setQueryData(settingsQuery(environment).queryKey, data);
  await readChangesAgain(environment);
}

export function webhookSettingsQuery(environment: string) {
  return queryOptions({
    queryKey: ["webhook-settings", environment],
    queryFn: async ({ signal }) =>
      (await callApi("getWebhookSettings", { environment, signal })).data,
  });
}

export function variablesQuery(environment: string) {
  return queryOptions({
    queryKey: ["variables", environment],
    queryFn: async ({ signal }) => {
      const listed = await callApi("listEnvironmentVariables", { environment, signal });
      return [...listed];
    },
  });
}
