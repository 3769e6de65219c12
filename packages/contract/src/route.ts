import type * as z from "zod";
import type { BodyKind } from "./body-limits.ts";
import { type ErrorCode, errorStatus } from "./errors.ts";
import type { Scope } from "./scopes.ts";
import type { Synonyms } from "./synonyms.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY";

type SentMethod = Exclude<Method, "ANY"> | "HEAD";

/**
 * Who may call: a key of one environment, a key of the account, a connect session, the session of an agent, a user
 * who has signed in, or anyone. A user calls the routes of keys, too, with the scopes of their role.
 */
export type Principal = "environment" | "account" | "session" | "agent" | "user" | "public";

/** A code, alone or with the status that this route gives it in place of the error table's. */
export type RouteError = ErrorCode | { readonly code: ErrorCode; readonly status: number };

/** Days (`YYYY-MM-DD`) since which a path is deprecated and after which it may be gone; `use` names the route that takes its place. */
export interface Deprecation {
  readonly since: string;
  readonly sunset: string;
  readonly use: string;
}

/**
 * One endpoint, declared once: validation, authorization, OpenAPI and client types all come from here.
 * `scope` names what a key must hold (a list: any of them); `any-key` takes every key of the environment,
 * `session` routes check the session itself, `user` takes everyone who has signed in, and `public` has to be written
 * out.
 */
export type RouteDefinition = RouteFields & (AnsweredRoute | RawRoute);

/** The handler answers with a value. */
interface AnsweredRoute {
  readonly raw?: undefined;
  readonly sessions?: undefined;
}

interface RawRoute {
  /** The handler writes the answer itself: streams, pages, redirects. */
  readonly raw: true;
  /**
   * Whether a user's session may call it. Refused where the bytes of an answer, or their type, come from elsewhere:
   * pages with sessions share the origin with them.
   */
  readonly sessions: "taken" | "refused";
}

interface RouteFields {
  readonly method: Method;
  /** Of a route for any method: those that it takes, where these are not all. */
  readonly methods?: readonly SentMethod[];
  /** Path with `{name}` parameters; `{name+}` takes the rest of the path. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly principals: readonly Principal[];
  readonly scope: Scope | readonly Scope[] | "any-key" | "session" | "user" | "public";
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** How much a body may hold; `bodyKindOf` says what holds where it is left out. */
  readonly bodyLimit?: BodyKind;
  /** A public route for the holder of a connect session, named in the query: checked before the body is read. */
  readonly sessionInQuery?: true;
  readonly success: { readonly status: number; readonly schema?: z.ZodType };
  /** The answer to a call whose work is done later. */
  readonly accepted?: { readonly status: 202; readonly schema: z.ZodType };
  /** Failures also come in this form: that of a protocol which the route speaks. */
  readonly failure?: z.ZodType;
  /** Codes beyond those of authentication and validation, which follow from the fields above. */
  readonly errors: readonly RouteError[];
  /**
   * Accepts an Idempotency-Key. When the process that answered dies, the same request with the same key
   * runs again; with `once` it does not: what it did outside is unknown, and the answer says so.
   */
  readonly idempotent: boolean | "once";
  /**
   * A busy route that changes no row which hot paths remember, or none that its caller would then miss: its answer
   * does not wait until this process has heard of the change.
   */
  readonly leavesCaches?: true;
  /** A large answer without secrets that seldom changes: it has an ETag, and is compressed for those who take gzip. */
  readonly tagged?: true;
  /** The answer holds a secret that was asked for: no cache keeps it. */
  readonly noStore?: true;
  readonly deprecated?: Deprecation;
  /** Other paths that answer the same, kept for older clients: deprecated in favour of `path`. */
  readonly aliases?: readonly `/${string}`[];
  /** The answer is a provider's: failures of our own carry `Svc-Error-Source: platform`. */
  readonly proxied?: true;
  /** Failures carry the message next to `error` too. */
  readonly messageNextToError?: true;
  /** Other spellings of names on the first level; two of one name with different values are refused. */
  readonly synonyms?: { readonly query?: Synonyms; readonly body?: Synonyms };
  /** Of a raw route: reads the body whole, which has to come in time. */
  readonly wholeBody?: true;
  /** Failures before the handler come as errors of JSON-RPC, with the code of the table in `data`. */
  readonly jsonRpc?: true;
  /** Takes a posted HTML form in place of JSON. */
  readonly form?: true;
  /** What its answer is made of in other media types than JSON: events or lines, each as the schema says. */
  readonly streamedAs?: readonly string[];
  /** A user calls it only within minutes of having proved who they are; `production`: where that is at stake. */
  readonly stepUp?: "always" | "production";
  /** A user's session is taken without `Svc-Csrf`: only where a page learns that token. */
  readonly withoutCsrf?: true;
}

export function defineRoute<const R extends RouteDefinition>(route: R): R {
  return route;
}

/** Which limit a route's body has. Routes of any method take bodies of any kind, so each of them says which. */
export function bodyKindOf(route: RouteDefinition): BodyKind {
  if (route.bodyLimit !== undefined) return route.bodyLimit;
  const isOpen = route.principals.includes("public") || route.principals.includes("session");
  const takesNone = route.body === undefined && route.method !== "ANY";
  return isOpen || takesNone ? "public" : "ordinary";
}

/** Deprecated since the first release: what older clients call, and what to call instead. */
export function replacedBy(use: string): Deprecation {
  return { since: "2026-11-21", sunset: "2027-11-21", use };
}

/** Every path of a route, each with what is said of it when it is deprecated. */
export function pathsOf(
  route: RouteDefinition,
): readonly { readonly path: string; readonly deprecated: Deprecation | undefined }[] {
  const aliases = (route.aliases ?? []).map((path) => ({
    path,
    deprecated: replacedBy(`${route.method} ${route.path}`),
  }));
  return [{ path: route.path, deprecated: route.deprecated }, ...aliases];
}

/** The status of a code on this route. */
export function statusOnRoute(route: RouteDefinition, code: ErrorCode): number {
  for (const declared of route.errors) {
    if (typeof declared !== "string" && declared.code === code) return declared.status;
  }
  return errorStatus(code);
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
