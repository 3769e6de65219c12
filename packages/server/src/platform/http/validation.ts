import type { ErrorCode, RouteDefinition } from "@jackfield/contract";
import type { FastifyRequest } from "fastify";
import * as z from "zod";
import { AppError } from "../errors.ts";

const noQuery = z.strictObject({});

/** Checks query, body, path and headers against the route, in that order (HTTP contract 1.1). */
export function parseRequest(route: RouteDefinition, request: FastifyRequest): object {
  const raw = route.raw === true;
  return {
    query:
      raw && route.query === undefined
        ? request.query
        : parse(route.query ?? noQuery, request.query, "invalid_query_params"),
    body: route.body === undefined ? undefined : parse(route.body, request.body, "invalid_body"),
    params:
      route.params === undefined
        ? request.params
        : parse(route.params, request.params, "invalid_uri_params"),
    headers:
      route.headers === undefined
        ? undefined
        : parse(route.headers, request.headers, "invalid_headers"),
  };
}

function parse(schema: z.ZodType, value: unknown, code: ErrorCode): unknown {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const details = result.error.issues.map(presentIssue);
  const first = details[0];
  const where = first === undefined || first.path.length === 0 ? "" : `${first.path.join(".")}: `;
  throw new AppError(code, `${where}${first?.message ?? "not valid"}`, { details });
}

function presentIssue(issue: z.core.$ZodIssue): { code: string; message: string; path: string[] } {
  return { code: issue.code, message: issue.message, path: issue.path.map(String) };
}
