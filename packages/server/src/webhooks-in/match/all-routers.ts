import { affinity } from "../routers/affinity.ts";
import { airtable } from "../routers/airtable.ts";
import { asana } from "../routers/asana.ts";
import { attio } from "../routers/attio.ts";
import { calCom } from "../routers/cal-com.ts";
import { calendly } from "../routers/calendly.ts";
import { checkr } from "../routers/checkr.ts";
import { connectwise } from "../routers/connectwise.ts";
import { discord } from "../routers/discord.ts";
import { fathom } from "../routers/fathom.ts";
import { fillout } from "../routers/fillout.ts";
import { folk } from "../routers/folk.ts";
import { github } from "../routers/github.ts";
import { gitlab } from "../routers/gitlab.ts";
import { googleCalendar } from "../routers/google-calendar.ts";
import { googleDrive } from "../routers/google-drive.ts";
import { googleMail } from "../routers/google-mail.ts";
import { highlevel } from "../routers/highlevel.ts";
import { hubspot } from "../routers/hubspot.ts";
import { intercom } from "../routers/intercom.ts";
import { jira } from "../routers/jira.ts";
import { jobber } from "../routers/jobber.ts";
import { jobdiva } from "../routers/jobdiva.ts";
import { linear } from "../routers/linear.ts";
import { microsoft } from "../routers/microsoft.ts";
import { microsoftTeams } from "../routers/microsoft-teams.ts";
import { notion } from "../routers/notion.ts";
import { pagerduty } from "../routers/pagerduty.ts";
import { quickbooks } from "../routers/quickbooks.ts";
import { salesforce } from "../routers/salesforce.ts";
import { sellsy } from "../routers/sellsy.ts";
import { sentry } from "../routers/sentry.ts";
import { shipstation } from "../routers/shipstation.ts";
import { shopify } from "../routers/shopify.ts";
import { slack } from "../routers/slack.ts";
import { streak } from "../routers/streak.ts";
import { stripe } from "../routers/stripe.ts";
import { ticketing } from "../routers/ticketing.ts";
import { twilio } from "../routers/twilio.ts";
import { typeform } from "../routers/typeform.ts";
import { unauthenticated } from "../routers/unauthenticated.ts";
import { videoask } from "../routers/videoask.ts";
import { xero } from "../routers/xero.ts";
import { zendesk } from "../routers/zendesk.ts";
import { zoom } from "../routers/zoom.ts";
import type { Router } from "./router.ts";

/** Routers by the name under which provider entries ask for them. */
export const routers: Readonly<Record<string, Router>> = {
  affinity,
  airtable,
  asana,
  attio,
  "cal-com": calCom,
  calendly,
  checkr,
  connectwise,
  discord,
  fathom,
  fillout,
  folk,
  github,
  gitlab,
  "google-calendar": googleCalendar,
  "google-drive": googleDrive,
  "google-mail": googleMail,
  highlevel,
  hubspot,
  intercom,
  jira,
  jobber,
  jobdiva,
  linear,
  "microsoft-teams": microsoftTeams,
  microsoft,
  notion,
  pagerduty,
  quickbooks,
  salesforce,
  sellsy,
  sentry,
  shipstation,
  shopify,
  slack,
  streak,
  stripe,
  ticketing,
  twilio,
  typeform,
  unauthenticated,
  videoask,
  xero,
  zendesk,
  zoom,
};
