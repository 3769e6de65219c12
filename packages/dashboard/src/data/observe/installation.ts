import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";

export type Installation = AnswerOf<"getInstallation">["data"];

/** It changes by itself, and is read again this often while it is looked at. */
const READ_EVERY_MS = 60_000;

export const installationQuery = queryOptions({
  queryKey: ["installation"],
  queryFn: async ({ signal }) => (await callApi("getInstallation", { signal })).data,
  refetchInterval: READ_EVERY_MS,
});
