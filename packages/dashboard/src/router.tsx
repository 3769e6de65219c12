import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from "@tanstack/react-router";
import { basePath } from "./data/api.ts";
import { isSignedOut, meQuery } from "./data/me.ts";
import { queryClient } from "./data/query-client.ts";
import { InviteScreen } from "./screens/access/invite-screen.tsx";
import { SetupScreen } from "./screens/access/setup-screen.tsx";
import { SignInScreen } from "./screens/access/sign-in-screen.tsx";
import { BrokenScreen } from "./shell/broken-screen.tsx";
import { HomeRedirect } from "./shell/home-redirect.tsx";
import { NotFoundScreen } from "./shell/not-found-screen.tsx";
import { Shell } from "./shell/shell.tsx";

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

function screen(path: string, load: () => Promise<{ Screen: () => React.ReactNode }>) {
  return createRoute({
    getParentRoute: () => environment,
    path,
    component: lazyRouteComponent(load, "Screen"),
  });
}

const tree = root.addChildren([
  createRoute({ getParentRoute: () => root, path: "/sign-in", component: SignInScreen }),
  createRoute({ getParentRoute: () => root, path: "/setup", component: SetupScreen }),
  createRoute({ getParentRoute: () => root, path: "/invite", component: InviteScreen }),
  inside.addChildren([
    createRoute({ getParentRoute: () => inside, path: "/", component: HomeRedirect }),
    environment.addChildren([
      createRoute({ getParentRoute: () => environment, path: "/", component: HomeRedirect }),
      screen("connections", async () => await import("./screens/connections/list.ts")),
      screen(
        "connections/$integration/$connectionId/$tab",
        async () => await import("./screens/connections/one.ts"),
      ),
      screen("integrations", async () => await import("./screens/integrations/list.ts")),
      screen(
        "integrations/$integration",
        async () => await import("./screens/integrations/one.ts"),
      ),
      screen("catalogue", async () => await import("./screens/integrations/catalogue.ts")),
      screen("syncs", async () => await import("./screens/syncs/list.ts")),
      screen("operations", async () => await import("./screens/operations/list.ts")),
      screen("operations/$operationId", async () => await import("./screens/operations/one.ts")),
    ]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: basePath,
  defaultPreload: "intent",
  defaultErrorComponent: BrokenScreen,
  defaultNotFoundComponent: NotFoundScreen,
  // Values are texts, in the address as in the program.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
});
