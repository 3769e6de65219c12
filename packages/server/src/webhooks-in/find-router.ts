import { findProviderOf, type Integration } from "#integrations";
import { routers } from "./all-routers.ts";
import type { Router } from "./router.ts";
import { type HmacRouting, hmacRouter } from "./routers/hmac.ts";
import { plain } from "./routers/plain.ts";

const described = new WeakMap<HmacRouting, Router>();

/** The router that the provider's entry asks for; one that verifies and matches nothing where it asks for none. */
export function findRouter(integration: Integration): Router {
  const webhooks = findProviderOf(integration)?.webhooks;
  if (webhooks?.hmac !== undefined) return routerOf(webhooks.hmac);
  const name = webhooks?.router;
  return (name !== undefined && Object.hasOwn(routers, name) && routers[name]) || plain;
}

function routerOf(routing: HmacRouting): Router {
  const known = described.get(routing);
  if (known !== undefined) return known;
  const router = hmacRouter(routing);
  described.set(routing, router);
  return router;
}
