import * as z from "zod";
import { webAddress } from "./config-values.ts";

/** Settings of people who sign in. */
export const peopleSettings = {
  SVC_DASHBOARD: z.enum(["on", "off"]).default("on"),
  SVC_DASHBOARD_URL: webAddress
    .refine((url) => new URL(url).pathname.endsWith("/dashboard"), "does not end in `/dashboard`")
    .optional(),
} as const;
