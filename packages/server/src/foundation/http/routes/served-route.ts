import type { RouteDefinition } from "@jackfield/contract";
import type { EnvironmentContext, SystemContext } from "../../context.ts";
import type { RawExchange, RouteHandler, RouteHandlers } from "./handlers.ts";

/** A route of the contract with what answers it. */
export interface ServedRoute<Name extends string = string> {
  readonly name: Name;
  readonly route: RouteDefinition;
  /** `ctx` is that of the route's principals, and `input` what its schemas have made of the request. */
  readonly answer: (
    ctx: SystemContext | EnvironmentContext,
    input: unknown,
    exchange: RawExchange,
  ) => Promise<unknown>;
}

type Routes = Readonly<Record<string, RouteDefinition>>;

/** Pairs each route with its handler; one without is a type error. */
export function serveRoutes<const Served extends Routes>(
  routes: Served,
  handlers: RouteHandlers<Served>,
): readonly ServedRoute<keyof Served & string>[] {
  const names = Object.keys(routes) as (keyof Served & string)[];
  return names.map((name) => ({
    name,
    route: routes[name] as Served[typeof name],
    answer: toAnswer(handlers[name]),
  }));
}

// The pair has tied the handler to its route, whose schemas and principals make its arguments.
function toAnswer<R extends RouteDefinition>(handler: RouteHandler<R>): ServedRoute["answer"] {
  return handler as ServedRoute["answer"];
}
