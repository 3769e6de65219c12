import { connectQuery } from "@jackfield/contract";
import type * as z from "zod";
import { type AppError, invalidFields, parseValues } from "#platform";

export type ConnectQuery = z.output<typeof connectQuery>;

/** The query of a browser's way to a provider; throws invalid_query_params at the field at fault. */
export function parseConnectQuery(query: unknown): ConnectQuery {
  return parseValues(connectQuery, query, { code: "invalid_query_params" });
}

export function invalidQuery(path: readonly string[], message: string): AppError {
  return invalidFields("invalid_query_params", [{ path, message }]);
}
