import type * as z from "zod";
import type { ErrorCode } from "./errors.ts";
import type { Scope } from "./scopes.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY";

/** Who may call: a key of one environment, a key of the account, a connect session, or anyone. */
export type Principal = "environment" | "account" | "session" | "public";

/**
 * One endpoint, declared once: validation, authorisation, OpenAPI and client types all come from here.
 * `scope` names what a key must hold (a list: any of them); `any-key` takes every key of the environment,
 * `session` routes check the session itself, and `public` has to be written out.
 */
export interface RouteDefinition {
  readonly method: Method;
  /** Path with `{name}` parameters; `{name+}` takes the rest of the path. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly principals: readonly Principal[];
  readonly scope: Scope | readonly Scope[] | "any-key" | "session" | "public";
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly success: { readonly status: number; readonly schema?: z.ZodType };
  /** Codes beyond those of authentication and validation, which follow from the fields above. */
  readonly errors: readonly ErrorCode[];
  /** Accepts an Idempotency-Key. */
  readonly idempotent: boolean;
  readonly deprecated?: { readonly since: string; readonly sunset: string; readonly use: string };
  /** Other paths that answer the same, kept for older clients. */
  readonly aliases?: readonly `/${string}`[];
  /** The handler writes the answer itself: streams, pages, redirects. */
  readonly raw?: true;
}

export function defineRoute<const R extends RouteDefinition>(route: R): R {
  return route;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler is given after validation. */
export interface RouteInput<R extends RouteDefinition> {
  readonly params: Parsed<R["params"]>;
  readonly query: Parsed<R["query"]>;
  readonly headers: Parsed<R["headers"]>;
  readonly body: Parsed<R["body"]>;
}

/** What a handler answers with: the success body, in the form that is sent. */
export type RouteOutput<R extends RouteDefinition> = R["success"]["schema"] extends z.ZodType
  ? z.input<R["success"]["schema"]>
  : undefined;
