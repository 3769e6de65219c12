import { connectQuery } from "@jackfield/contract";
import type * as z from "zod";
import { type AppError, invalidFields, parseValues } from "#foundation";

export type ConnectQuery = z.output<typeof connectQuery>;

/** The query of a form; throws invalid_query_params at the field at fault. */
export function parseConnectQuery(query: unknown): ConnectQuery {
  return parseValues(connectQuery, query, { code: "invalid_query_params" });
}

/** A browser is sent here by clients of many ages: what they add of their own is nothing to the attempt. */
const browserQuery = connectQuery.strip();

/** The query of a browser's way to a provider; throws invalid_query_params at the field at fault. */
export function parseBrowserQuery(query: unknown): ConnectQuery {
  return parseValues(browserQuery, query, { code: "invalid_query_params" });
}

export function invalidQuery(path: readonly string[], message: string): AppError {
  return invalidFields("invalid_query_params", [{ path, message }]);
}
