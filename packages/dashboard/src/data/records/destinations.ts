import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, type CallOf, callApi } from "../api.ts";
import { queryClient } from "../query-client.ts";

export type Destination = AnswerOf<"listRecordDestinations">["data"][number];
export type NewDestination = NonNullable<CallOf<"createRecordDestination">["body"]>;
export type DestinationChange = NonNullable<CallOf<"updateRecordDestination">["body"]>;

const WATCH_MS = 10_000;

/** All of an environment, at most 20; read again while something is delivered or fails, since no event says so. */
export function destinationsQuery(environment: string) {
  return queryOptions({
    queryKey: ["destinations", environment],
    queryFn: async ({ signal }) =>
      (await callApi("listRecordDestinations", { environment, signal })).data,
    refetchInterval: ({ state }) =>
      state.data?.some(({ state: own, lag_seconds: lag }) => own === "failing" || lag > 0) === true
        ? WATCH_MS
        : false,
  });
}

export async function createDestination(environment: string, body: NewDestination): Promise<void> {
  await callApi("createRecordDestination", { environment, body });
  await readAgain(environment);
}

export async function changeDestination(
  environment: string,
  destinationId: string,
  body: DestinationChange,
): Promise<void> {
  await callApi("updateRecordDestination", { environment, params: { destinationId }, body });
  await readAgain(environment);
}

export async function restartDestination(
  environment: string,
  destinationId: string,
): Promise<void> {
  await callApi("restartRecordDestination", { environment, params: { destinationId } });
  await readAgain(environment);
}

export async function deleteDestination(environment: string, destinationId: string): Promise<void> {
  await callApi("deleteRecordDestination", { environment, params: { destinationId } });
  await readAgain(environment);
}

async function readAgain(environment: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["destinations", environment] });
}
