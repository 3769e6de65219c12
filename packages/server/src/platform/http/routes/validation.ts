import { type RouteDefinition, resolveSynonyms, type Synonyms } from "@jackfield/contract";
import type { FastifyRequest } from "fastify";
import * as z from "zod";
import { type FieldErrorCode, invalidFields, parseValues } from "../../validation/index.ts";

const noQuery = z.strictObject({});

/** Checks query, body, path and headers against the route, in that order. */
export function parseRequest(route: RouteDefinition, request: FastifyRequest): object {
  const raw = route.raw === true;
  return {
    query:
      raw && route.query === undefined
        ? request.query
        : parseValues(
            route.query ?? noQuery,
            spelled(request.query, route.synonyms?.query, "invalid_query_params"),
            { code: "invalid_query_params" },
          ),
    body:
      route.body === undefined
        ? undefined
        : parseValues(route.body, spelled(bodyOf(request), route.synonyms?.body, "invalid_body"), {
            code: "invalid_body",
          }),
    params:
      route.params === undefined
        ? request.params
        : parseValues(route.params, request.params, { code: "invalid_uri_params" }),
    headers:
      route.headers === undefined
        ? undefined
        : parseValues(route.headers, request.headers, { code: "invalid_headers" }),
  };
}

/** No body is an empty one: what is missing in it is what the caller needs to know. */
function bodyOf({ body }: FastifyRequest): unknown {
  return body === undefined ? {} : body;
}

/** The values under the contract's own names. */
function spelled(values: unknown, synonyms: Synonyms | undefined, code: FieldErrorCode): unknown {
  if (synonyms === undefined) return values;
  const resolved = resolveSynonyms(values, synonyms);
  if (resolved.conflict === undefined) return resolved.values;
  const { name, synonym } = resolved.conflict;
  const message = `is the same as \`${name}\`, with another value; send one of the two`;
  throw invalidFields(code, [{ message, path: [synonym] }]);
}
