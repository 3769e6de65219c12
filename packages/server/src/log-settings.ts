import * as z from "zod";
import { DAY } from "#foundation";
import { MEBIBYTE, megabytes } from "./config-values.ts";

/** Settings of what is logged, for the operator and for those who use the platform. */
export const logSettings = {
  SVC_LOG_PROXY_SAMPLE: z
    .string()
    .regex(/^(0|1|[01]?\.\d+)$/, "is not a number from 0 to 1")
    .transform(Number)
    .pipe(z.number().max(1))
    .default(1),
  SVC_LOG_RETENTION_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, "is not a number of days from 1 to 9999")
    .transform((text) => Number(text) * DAY)
    .default(15 * DAY),
  SVC_AUDIT_RETENTION_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, "is not a number of days from 1 to 9999")
    .transform((text) => Number(text) * DAY)
    .default(400 * DAY),
  SVC_LOG_RUN_LINES: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, "is not a number of lines from 1 to 9999999")
    .transform(Number)
    .default(10_000),
  SVC_LOG_DAY_LIMIT: megabytes(1024 * MEBIBYTE),
  SVC_LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  SVC_LOG_REQUESTS: z
    .enum(["true", "false"], "is neither true nor false")
    .default("false")
    .transform((text) => text === "true"),
} as const;
