import * as z from "zod";

/** What a simulator can do wrong on request; each switch stays until it is changed. */
export const faults = z.strictObject({
  /** Access tokens live this many seconds instead of an hour. */
  token_life_s: z.number().int().min(1).max(86_400).optional(),
  /** Access tokens that are out when this is switched on are refused with 401; those issued later are not. */
  expire_tokens: z.boolean().default(false),
  /** Connections that exist when this is switched on are over: their tokens are refused, for calls and for refreshes. */
  revoke_grants: z.boolean().default(false),
  /** Token requests are refused, as if the OAuth client had another secret. */
  refuse_client: z.boolean().default(false),
  /** What a refresh does with the refresh token; with `reuse_detection` a spent one ends the connection. */
  rotation: z.enum(["keep", "omit", "rotate", "reuse_detection"]).optional(),
  /** Calls are refused with 429 until the time that the answer names. */
  rate_limit: z
    .enum(["off", "entry", "retry-after-seconds", "retry-after-date", "epoch-seconds", "epoch-ms"])
    .default("off"),
  /** How long a refusal by rate limit lasts. */
  rate_limit_s: z.number().int().min(1).max(3600).default(2),
  /** Calls of all connections together that a window takes; others get 429. Answers say what is left. */
  app_quota: z.number().int().min(1).max(1_000_000).optional(),
  /** Length of that window, in seconds. */
  app_quota_s: z.number().min(0.1).max(3600).default(60),
  /** API calls are answered with status 200 and an error in the body. */
  error_in_200: z.boolean().default(false),
  /** Token requests are answered with status 200 and an error in the body. */
  token_error_in_200: z.boolean().default(false),
  /** Seconds before an answer begins. */
  slow_s: z.number().min(0).max(300).default(0),
  /** Answers end in the middle. */
  cut: z.boolean().default(false),
  /** API calls are answered with this status. */
  status: z.number().int().min(400).max(599).optional(),
  /** The consent page cuts its window off from the one that opened it. */
  coop: z.boolean().default(false),
});
export type Faults = z.output<typeof faults>;

export const noFaults: Faults = faults.parse({});
