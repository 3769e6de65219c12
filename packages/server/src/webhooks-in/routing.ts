import { routers } from "./all-routers.ts";
import type { Router } from "./router.ts";
import { type HmacRouting, hmacRouter } from "./routers/hmac.ts";
import { plain } from "./routers/plain.ts";

/** How the webhooks of a provider are read: by a router's name, or as its entry describes it. Can be sent to a thread. */
export type Routing =
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "hmac"; readonly hmac: HmacRouting }
  | { readonly kind: "plain" };

const described = new WeakMap<HmacRouting, Router>();

/** The router; one that verifies and matches nothing where none is known. */
export function routerOf(routing: Routing): Router {
  if (routing.kind === "plain") return plain;
  if (routing.kind === "named") {
    return (Object.hasOwn(routers, routing.name) && routers[routing.name]) || plain;
  }
  const known = described.get(routing.hmac);
  if (known !== undefined) return known;
  const router = hmacRouter(routing.hmac);
  described.set(routing.hmac, router);
  return router;
}
