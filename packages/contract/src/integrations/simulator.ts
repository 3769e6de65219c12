import * as z from "zod";
import { defineRoute } from "../route.ts";

/** A provider that this server plays itself, for first steps without an account anywhere. */

export const simulatorFaults = [
  "none",
  "expired_tokens",
  "rate_limit",
  "unavailable",
  "revoked",
] as const;

const fault = z.enum(simulatorFaults).meta({
  id: "SimulatorFault",
  description:
    "`none`: it works; `expired_tokens`: the access tokens that are out have ended; `rate_limit`: calls get 429 for 5 seconds; `unavailable`: calls get 503; `revoked`: users have withdrawn the access of the connections that there are.",
});

const sampleFunction = z
  .strictObject({
    type: z.enum(["sync", "action"]).describe("Kind of the function."),
    name: z.string().meta({ description: "Its name.", examples: ["contacts"] }),
    code: z.string().describe("Its source, as `POST /functions/deployments` takes it."),
  })
  .meta({ id: "SampleFunction", description: "A function that works with the simulator." });

const shown = {
  state: z
    .enum(["unavailable", "stopped", "running"])
    .describe(
      "`unavailable`: it is off (`SVC_SIMULATOR`), not installed, or the server is reached from other machines; `stopped`: `POST /simulator` starts it.",
    ),
  provider: z
    .string()
    .nullable()
    .meta({
      description: "Provider that it plays; null unless it runs.",
      examples: ["hubspot"],
    }),
  origin: z
    .string()
    .nullable()
    .meta({
      description: "Where it listens on this machine; null unless it runs.",
      examples: ["http://127.0.0.1:4010"],
    }),
  fault: fault.nullable().describe("What is wrong with it at the moment; null unless it runs."),
  calls: z.number().int().describe("Calls of its API that it has answered with success."),
  refreshes: z.number().int().describe("Tokens that it has refreshed."),
  functions: z.array(sampleFunction).describe("Functions to try with it; none unless it runs."),
} as const;

const simulator = z
  .strictObject(shown)
  .meta({ id: "Simulator", description: "The simulated provider of this server." });

const started = z
  .strictObject({
    ...shown,
    integration: z
      .record(z.string(), z.unknown())
      .describe("The body of `POST /integrations` for an integration whose calls go to it."),
  })
  .meta({ id: "StartedSimulator", description: "The simulated provider, which runs." });

export const simulatorRoutes = {
  getSimulator: defineRoute({
    method: "GET",
    path: "/simulator",
    summary: "Whether a simulated provider runs, and how it does",
    principals: ["environment"],
    scope: "environment:integrations:list",
    success: {
      status: 200,
      schema: z.strictObject({ data: simulator.describe("The simulator.") }),
    },
    errors: [],
    idempotent: false,
  }),
  startSimulator: defineRoute({
    method: "POST",
    path: "/simulator",
    summary: "Start the simulated provider, unless it runs",
    principals: ["environment"],
    scope: "environment:integrations:create",
    success: {
      status: 200,
      schema: z.strictObject({ data: started.describe("The simulator.") }),
    },
    errors: ["not_found"],
    idempotent: true,
  }),
  setSimulatorFault: defineRoute({
    method: "PUT",
    path: "/simulator/fault",
    summary: "Make the simulated provider fail in one way, or work again",
    principals: ["environment"],
    scope: "environment:integrations:update",
    body: z.strictObject({ fault: fault.describe("What is wrong from now on.") }),
    success: {
      status: 200,
      schema: z.strictObject({ data: simulator.describe("The simulator.") }),
    },
    errors: ["not_found"],
    idempotent: true,
  }),
} as const;
