import {
  type ErrorCode,
  type RouteDefinition,
  resolveSynonyms,
  type Synonyms,
} from "@jackfield/contract";
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
        : parse(
            route.query ?? noQuery,
            spelled(request.query, route.synonyms?.query, "invalid_query_params"),
            "invalid_query_params",
          ),
    body:
      route.body === undefined
        ? undefined
        : parse(
            route.body,
            spelled(request.body, route.synonyms?.body, "invalid_body"),
            "invalid_body",
          ),
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

/** The values under the contract's own names. */
function spelled(values: unknown, synonyms: Synonyms | undefined, code: ErrorCode): unknown {
  if (synonyms === undefined) return values;
  const resolved = resolveSynonyms(values, synonyms);
  if (resolved.conflict === undefined) return resolved.values;
  const { name, synonym } = resolved.conflict;
  const message = `${synonym} and ${name} are the same parameter with different values; send one`;
  const details = [{ code: "custom", message, path: [synonym] }];
  throw new AppError(code, message, { details });
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
