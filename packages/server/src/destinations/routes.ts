import type { recordDestinationRoutes } from "@jackfield/contract";
import type { RouteHandlers } from "#foundation/http";
import {
  createDestination,
  deleteDestination,
  getDestination,
  restartDestination,
  updateDestination,
} from "./settings/change-destination.ts";
import { presentDestination } from "./settings/present-destination.ts";
import { listDestinationRows } from "./store.ts";

export const destinationHandlers = {
  createRecordDestination: async (ctx, { body }) => ({
    data: await presentDestination(ctx, await createDestination(ctx, body)),
  }),
  listRecordDestinations: async (ctx) => {
    const rows = await listDestinationRows(ctx.db, ctx.environment.id);
    return { data: await Promise.all(rows.map(async (row) => await presentDestination(ctx, row))) };
  },
  getRecordDestination: async (ctx, { params }) => ({
    data: await presentDestination(ctx, await getDestination(ctx, params.destinationId)),
  }),
  updateRecordDestination: async (ctx, { params, body }) => ({
    data: await presentDestination(ctx, await updateDestination(ctx, params.destinationId, body)),
  }),
  restartRecordDestination: async (ctx, { params }) => ({
    data: await presentDestination(ctx, await restartDestination(ctx, params.destinationId)),
  }),
  deleteRecordDestination: async (ctx, { params }) => {
    await deleteDestination(ctx, params.destinationId);
  },
} satisfies RouteHandlers<typeof recordDestinationRoutes>;
