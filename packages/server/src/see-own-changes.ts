import type { RouteDefinition } from "@jackfield/contract";
import type { SystemContext } from "#platform";
import type { AnyHandler } from "#platform/http";
import { catchUpCaches } from "#platform\/cache";

type Handlers = Readonly<Record<string, AnyHandler>>;

/** Busy routes that change no cached row, or none whose change their caller must see. */
const withoutCachedRows = new Set(["createConnectSession", "triggerAction"]);

/** Handlers after whose answer this process acts by what they have changed; others follow within a second. */
export function seeOwnChanges(
  routes: Readonly<Record<string, RouteDefinition>>,
  handlers: Handlers,
): Handlers {
  const wrapped = Object.entries(handlers).map(([name, handler]) => {
    const method = routes[name]?.method;
    const isReading = method === "GET" || method === "ANY" || withoutCachedRows.has(name);
    return [name, isReading ? handler : withCatchUp(handler)];
  });
  return Object.fromEntries(wrapped);
}

function withCatchUp(handler: AnyHandler): AnyHandler {
  return async (ctx: SystemContext, ...rest: unknown[]) => {
    const answer = await Reflect.apply(handler, undefined, [ctx, ...rest]);
    await catchUpCaches(ctx);
    return answer;
  };
}
