import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
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

function accountScreen(path: string, load: () => Promise<{ Screen: () => React.ReactNode }>) {
  return createRoute({
    getParentRoute: () => inside,
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
    accountScreen("people", async () => await import("./screens/people/list.ts")),
    accountScreen("sso", async () => await import("./screens/sso/sso.ts")),
    accountScreen("audit", async () => await import("./screens/audit/list.ts")),
    accountScreen(
      "installation",
      async () => await import("./screens/installation/installation.ts"),
    ),
    accountScreen("profile", async () => await import("./screens/profile/profile.ts")),
    environment.addChildren([
      screen("/", async () => await import("./screens/home/home.ts")),
      screen("start", async () => await import("./screens/start/start.ts")),
      screen("problems", async () => await import("./screens/problems/list.ts")),
      screen("problems/$problemId", async () => await import("./screens/problems/one.ts")),
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
      screen("functions", async () => await import("./screens/functions/list.ts")),
      screen(
        "functions/$integration/$type/$name/$tab",
        async () => await import("./screens/functions/one.ts"),
      ),
      screen("playground", async () => await import("./screens/playground/playground.ts")),
      screen("syncs", async () => await import("./screens/syncs/list.ts")),
      screen("syncs/$syncId/runs/$runId", async () => await import("./screens/syncs/run.ts")),
      screen("settings", async () => await import("./screens/settings/one.ts")),
      screen("settings/$tab", async () => await import("./screens/settings/one.ts")),
      screen("deployments", async () => await import("./screens/deployments/list.ts")),
      screen("keys", async () => await import("./screens/keys/list.ts")),
      screen("metrics", async () => await import("./screens/metrics/metrics.ts")),
      screen("revocations", async () => await import("./screens/revocations/list.ts")),
      screen("revocations/$revocationId", async () => await import("./screens/revocations/one.ts")),
      screen("toolsets", async () => await import("./screens/toolsets/list.ts")),
      screen("toolsets/new", async () => await import("./screens/toolsets/new.ts")),
      screen("toolsets/$toolset/$tab", async () => await import("./screens/toolsets/one.ts")),
      screen("agent-sessions", async () => await import("./screens/agent-sessions/list.ts")),
      screen(
        "agent-sessions/$sessionId",
        async () => await import("./screens/agent-sessions/one.ts"),
      ),
      screen("agent-calls", async () => await import("./screens/agent-calls/list.ts")),
      screen("approvals", async () => await import("./screens/approvals/list.ts")),
      screen("approvals/$approvalId", async () => await import("./screens/approvals/one.ts")),
      screen("records", async () => await import("./screens/records/models.ts")),
      screen(
        "records/$integration/$connection/$model",
        async () => await import("./screens/records/list.ts"),
      ),
      screen("webhooks/out", async () => await import("./screens/webhooks/out/list.ts")),
      screen("webhooks/out/$deliveryId", async () => await import("./screens/webhooks/out/one.ts")),
      screen("webhooks/in", async () => await import("./screens/webhooks/in/list.ts")),
      screen("webhooks/in/$webhookId", async () => await import("./screens/webhooks/in/one.ts")),
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
  // Values are texts, in the address as in the program; the router's own reading makes numbers of some.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: stringifySearchWith(String),
});
