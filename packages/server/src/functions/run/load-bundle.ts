import { type EnvironmentContext, serverState } from "#foundation";
import type { DeployedFunction } from "../deployed-function.ts";
import { type Bundle, findBundle } from "../store.ts";
import { createBundleCache } from "./bundle-cache.ts";

const MEBIBYTE = 1024 * 1024;

// What it holds never changes: the key names environment and content.
const bundles = serverState(() => createBundleCache(64 * MEBIBYTE));

/** The bundle of a function, from memory where it was used lately. */
export async function loadBundle(
  ctx: EnvironmentContext,
  { bundleSha256 }: Pick<DeployedFunction, "bundleSha256">,
): Promise<Bundle> {
  const key = `${ctx.environment.id} ${bundleSha256.toString("hex")}`;
  const cache = bundles.of(ctx);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const bundle = await findBundle(ctx.db, ctx.environment.id, bundleSha256);
  if (bundle === undefined) throw new Error(`no bundle ${key}`);
  cache.set(key, bundle);
  return bundle;
}
