import type { RouteDefinition } from "@jackfield/contract";
import type { InstallationContext } from "#platform";
import type { AnyHandler } from "#platform/http";
import { catchUpLookups } from "#platform/lookups";

type Handlers = Readonly<Record<string, AnyHandler>>;

/** Busy routes that change no row of a look-up, or none that their caller would then miss. */
const unremembered = new Set(["createConnectSession", "triggerAction"]);

/** Handlers after whose answer this process acts by what they have changed; others follow within a second. */
export function seeOwnChanges(
  routes: Readonly<Record<string, RouteDefinition>>,
  handlers: Handlers,
): Handlers {
  const wrapped = Object.entries(handlers).map(([name, handler]) => {
    const method = routes[name]?.method;
    const isReading = method === "GET" || method === "ANY" || unremembered.has(name);
    return [name, isReading ? handler : withCatchUp(handler)];
  });
  return Object.fromEntries(wrapped);
}

function withCatchUp(handler: AnyHandler): AnyHandler {
  return async (ctx: InstallationContext, ...rest: unknown[]) => {
    const answer = await Reflect.apply(handler, undefined, [ctx, ...rest]);
    await catchUpLookups(ctx);
    return answer;
  };
}
