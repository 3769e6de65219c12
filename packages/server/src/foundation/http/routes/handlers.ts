import type { RouteDefinition, RouteInput, RouteOutput } from "@jackfield/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Environment, EnvironmentContext, SystemContext } from "../../context.ts";

/**
 * Context of a route: with an environment where an environment key or a session may call, perhaps with one
 * where a key of the account may, too.
 */
export type RouteContext<R extends RouteDefinition> = "account" extends R["principals"][number]
  ? SystemContext & { readonly environment?: Environment }
  : "environment" extends R["principals"][number]
    ? EnvironmentContext
    : Extract<R["principals"][number], "session" | "agent"> extends never
      ? SystemContext
      : EnvironmentContext;

export interface RawExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Of a route of any method: its body as JSON, within the limits of the route; undefined for none. */
  readonly readJson: () => Promise<unknown>;
}

/** From a validated request to the answer; raw routes write it themselves. */
export type RouteHandler<R extends RouteDefinition> = R["raw"] extends true
  ? (ctx: RouteContext<R>, input: RouteInput<R>, exchange: RawExchange) => Promise<void>
  : (ctx: RouteContext<R>, input: RouteInput<R>) => Promise<RouteOutput<R>>;

/** One handler for every route of a slice: a missing one is a type error. */
export type RouteHandlers<Routes extends Readonly<Record<string, RouteDefinition>>> = {
  readonly [Name in keyof Routes]: RouteHandler<Routes[Name]>;
};
