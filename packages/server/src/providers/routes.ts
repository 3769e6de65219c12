import { getProvider, listProviders } from "@jackfield/catalogue";
import type { providerRoutes } from "@jackfield/contract";
import { AppError } from "#platform";
import type { RouteHandlers } from "#platform/http";
import { presentProvider } from "./present-provider.ts";

export const providerHandlers = {
  listProviders: async (ctx, { query }) => {
    const wanted = (query.search ?? "").toLowerCase();
    const found = listProviders().filter(({ id }) => id.toLowerCase().includes(wanted));
    return { data: found.map((provider) => presentProvider(ctx, provider)) };
  },
  getProvider: async (ctx, { params }) => {
    const provider = getProvider(params.provider);
    if (provider === undefined) {
      throw new AppError(
        "not_found",
        `The catalogue has no provider ${params.provider}; list them with GET /providers.`,
      );
    }
    return { data: presentProvider(ctx, provider) };
  },
} satisfies RouteHandlers<typeof providerRoutes>;
