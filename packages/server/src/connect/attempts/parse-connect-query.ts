import { connectQuery } from "@jackfield/contract";
import type * as z from "zod";
import { AppError } from "#platform";

export type ConnectQuery = z.output<typeof connectQuery>;

/** The query of a browser's way to a provider; throws invalid_query_params at the field at fault. */
export function parseConnectQuery(query: unknown): ConnectQuery {
  const parsed = connectQuery.safeParse(query);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map(({ code, message, path }) => ({
    code,
    message,
    path: path.map(String),
  }));
  const [first] = details;
  const where = first === undefined || first.path.length === 0 ? "" : `${first.path.join(".")}: `;
  throw new AppError("invalid_query_params", `${where}${first?.message ?? "not valid"}`, {
    details,
  });
}

export function invalidQuery(path: readonly string[], message: string): AppError {
  const details = [{ code: "custom", message, path }];
  return new AppError("invalid_query_params", `${path.join(".")}: ${message}`, { details });
}
