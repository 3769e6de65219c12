import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "./api.ts";

export type BulkJob = AnswerOf<"getBulkJob">["data"];

/** A job over many, as the API takes it. */
export interface BulkWish {
  readonly action: BulkJob["action"];
  readonly filter?: object;
  readonly connections?: readonly object[];
  readonly syncs?: readonly string[];
  readonly tags?: Readonly<Record<string, string>>;
}

/** How many a job would be about, at the moment. */
export function bulkCountQuery(environment: string, wish: BulkWish | undefined) {
  return queryOptions({
    queryKey: ["bulk-count", environment, wish],
    queryFn: async () => {
      const body = Object({ ...wish, dry_run: true });
      return (await callApi("startBulkJob", { environment, body })).data.matched;
    },
    enabled: wish !== undefined,
    gcTime: 0,
  });
}
