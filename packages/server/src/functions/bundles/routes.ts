import type { functionBundleRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import { deployBundle, previewBundle } from "./deploy-bundle.ts";

export const functionBundleHandlers = {
  deployBundle: async (ctx, { body }) => await deployBundle(ctx, body),
  previewBundle: async (ctx, { body }) => await previewBundle(ctx, body),
} satisfies RouteHandlers<typeof functionBundleRoutes>;
