import type { Route } from "playwright-core";

/** An API whose answers wait, and then are all the same. */
export function heldApi() {
  let status: 403 | 500 | undefined;
  const waiting: Route[] = [];
  const codes = { 403: "forbidden", 500: "internal_error" };
  const fulfil = async (route: Route, answered: 403 | 500) => {
    const json = { error: { code: codes[answered], message: "The scope for it is missing." } };
    await route.fulfill({ status: answered, json }).catch(() => undefined);
  };
  return {
    hold: () => {
      status = undefined;
      waiting.length = 0;
    },
    release: async (answered: 403 | 500) => {
      status = answered;
      for (const route of waiting.splice(0)) await fulfil(route, answered);
    },
    answer: async (route: Route) => {
      if (status === undefined) waiting.push(route);
      else await fulfil(route, status);
    },
  };
}
