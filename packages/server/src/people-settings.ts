import { webAddress } from "./config-values.ts";

/** Settings of people who sign in. */
export const peopleSettings = {
  SVC_DASHBOARD_URL: webAddress.optional(),
} as const;
