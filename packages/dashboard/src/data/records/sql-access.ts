import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, ApiError, callApi } from "../api.ts";
import { queryClient } from "../query-client.ts";

export type SqlAccess = NonNullable<AnswerOf<"getSqlAccess">["data"]>;
export type NewSqlAccess = AnswerOf<"createSqlAccess">["data"];

/** Null: the environment has none. `isOff`: the operator does not offer it, and how that is changed. */
export type SqlAccessOffer =
  | { readonly access: SqlAccess | null }
  | { readonly isOff: true; readonly reason: string };

export function sqlAccessQuery(environment: string) {
  return queryOptions({
    queryKey: ["sql-access", environment],
    queryFn: async ({ signal }): Promise<SqlAccessOffer> => {
      try {
        return { access: (await callApi("getSqlAccess", { environment, signal })).data };
      } catch (error) {
        if (error instanceof ApiError && error.code === "feature_disabled") {
          return { isOff: true, reason: error.message };
        }
        throw error;
      }
    },
  });
}

export async function createSqlAccess(environment: string): Promise<NewSqlAccess> {
  const { data } = await callApi("createSqlAccess", { environment });
  await readAgain(environment);
  return data;
}

export async function rotateSqlAccess(environment: string): Promise<NewSqlAccess> {
  const { data } = await callApi("rotateSqlAccess", { environment });
  await readAgain(environment);
  return data;
}

export async function deleteSqlAccess(environment: string): Promise<void> {
  await callApi("deleteSqlAccess", { environment });
  await readAgain(environment);
}

async function readAgain(environment: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["sql-access", environment] });
}
