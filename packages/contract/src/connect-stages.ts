import * as z from "zod";
import { providerName } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** What happens between a provider and a connection, in its order. Source: issue "The catalogue". */
export const connectStages = [
  /** The end user is sent to the provider. */
  "authorization",
  /** The provider sends the end user back. */
  "callback",
  /** Credentials are asked for with what the callback or the end user brought. */
  "token",
  /** The entry's requests for what the connection needs next to its credentials. */
  "after_connect",
  /** The entry's request that tries credentials which were typed or imported. */
  "verification",
  "refresh",
  "revocation",
] as const;

export type ConnectStage = (typeof connectStages)[number];

const stage = z.enum(connectStages);

/** What the provider answered last: its status, and the start of its body without what may be secret. */
const upstream = z.strictObject({ status: z.number().int(), body: z.string() });

/** Where a connection failed; `upstream` is left out where no answer came. */
export const stageFields = { stage: stage.optional(), upstream: upstream.optional() };

const day = z.iso.date();

export const connectStageRoutes = {
  listProviderStages: defineRoute({
    method: "GET",
    path: "/provider-stages",
    summary: "Count how often each stage of connecting to a provider succeeded and failed, by day",
    principals: ["environment"],
    scope: "environment:providers:read",
    query: z.strictObject({
      provider: providerName.optional(),
      /** First day (UTC); by default all of the 30 days that are kept. */
      from: day.optional(),
      to: day.optional(),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        /** Newest day first; a stage without a count on a day is left out. */
        data: z.array(
          z.strictObject({
            day,
            provider: z.string(),
            stage,
            succeeded: z.number().int().min(0),
            failed: z.number().int().min(0),
          }),
        ),
      }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
