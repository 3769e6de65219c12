import { english as connectLinks } from "./connections/connect-links.ts";
import { english as arrivals } from "./english/arrivals.ts";
import { english as audit } from "./english/audit.ts";
import { english as functions } from "./english/functions.ts";
import { english as home } from "./english/home.ts";
import { english as keys } from "./english/keys.ts";
import { english as people } from "./english/people.ts";
import { english as problems } from "./english/problems.ts";
import { english as settings } from "./english/settings.ts";
import { english as webhooks } from "./english/webhooks.ts";
import { english as agentCalls } from "./english-agent-calls.ts";
import { english as approvals } from "./english-approvals.ts";
import { english as connections } from "./english-connections.ts";
import { english as integrations } from "./english-integrations.ts";
import { english as operations } from "./english-operations.ts";
import { english as shell } from "./english-shell.ts";
import { english as syncs } from "./english-syncs.ts";
import { english as tables } from "./english-tables.ts";
import { english as authModes } from "./integrations/auth-modes.ts";
import { english as metrics } from "./observe/metrics.ts";
import { english as rateLimits } from "./observe/rate-limits.ts";
import { english as drift } from "./records/drift.ts";
import { english as records } from "./records/records.ts";

/** Everything the dashboard says, in English. A language is one more object of this shape. */
export const english = {
  shell,
  agentCalls,
  approvals,
  tables,
  operations,
  connections,
  connectLinks,
  syncs,
  integrations,
  authModes,
  keys,
  metrics,
  rateLimits,
  arrivals,
  drift,
  records,
  settings,
  webhooks,
  home,
  functions,
  problems,
  people,
  audit,
};

export type Texts = typeof english;
