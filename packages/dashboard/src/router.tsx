import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  stringifySearchWith,
} from "@tanstack/react-router";
import { isSignedOut, meQuery } from "./data/me.ts";
import { queryClient } from "./data/query-client.ts";
import { BrokenScreen } from "./shell/broken-screen.tsx";
import { HomeRedirect } from "./shell/home-redirect.tsx";
import { NotFoundScreen } from "./shell/not-found-screen.tsx";
import { Shell } from "./shell/shell.tsx";
import { basePath } from "./start/base-path.ts";
import { environmentOf } from "./start/environment-address.ts";
import { accessScreens, accountScreens, environmentScreens } from "./start/screen-modules.ts";

const root = createRootRoute();

/** Screens of who has signed in; others are led to the sign-in page and back. */
const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(meQuery);
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      throw redirect({ to: "/sign-in", search: { to: location.href } });
    }
  },
});

const environment = createRoute({ getParentRoute: () => inside, path: "/$environment" });

function listScreens<Parent extends AnyRoute>(parent: Parent, screens: typeof environmentScreens) {
  return Object.entries(screens).map(([path, load]) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      component: lazyRouteComponent(load, "Screen"),
      loader: async ({ params, location, preload }) => {
        // A pointer above a link asks the server for nothing.
        if (preload) return;
        const { begin } = await load();
        begin?.(environmentOf(String(Object(params)["environment"])), Object(location.search));
      },
    }),
  );
}

const tree = root.addChildren([
  ...listScreens(root, accessScreens),
  inside.addChildren([
    createRoute({ getParentRoute: () => inside, path: "/", component: HomeRedirect }),
    ...listScreens(inside, accountScreens),
    environment.addChildren(listScreens(environment, environmentScreens)),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: basePath,
  defaultPreload: "intent",
  defaultErrorComponent: BrokenScreen,
  defaultNotFoundComponent: NotFoundScreen,
  // Values are texts, in the address as in the program; the router's own reading makes numbers of some.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: stringifySearchWith(String),
});
