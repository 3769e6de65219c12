import type { simulatorRoutes } from "@jackfield/contract";
import { AppError } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { presentSimulator, presentStarted } from "./present-simulator.ts";
import { simulatorHost } from "./simulator-host.ts";

export const simulatorHandlers = {
  getSimulator: async (ctx) => {
    return { data: presentSimulator(simulatorHost.of(ctx)) };
  },
  startSimulator: async (ctx) => {
    const host = simulatorHost.of(ctx);
    return { data: presentStarted(host, await host.start()) };
  },
  setSimulatorFault: async (ctx, { body }) => {
    const host = simulatorHost.of(ctx);
    const simulator = host.find();
    if (simulator === undefined) {
      throw new AppError("not_found", "No simulator runs: `POST /simulator` starts it.");
    }
    simulator.setFault(body.fault);
    return { data: presentSimulator(host) };
  },
} satisfies RouteHandlers<typeof simulatorRoutes>;
