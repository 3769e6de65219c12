import { ed25519PublicKey, ed25519Sign, rsaPublicKey, rsaSign } from "./own-keys.ts";
import {
  hash,
  hmac,
  overBody,
  seconds,
  standard,
  timedPairs,
  token,
  versionZero,
  type WebhookScheme,
  WHSEC,
} from "./scheme.ts";

const now = () => new Date().toISOString();
const number = () => Date.now() % 1_000_000_000;

/**
 * Vendors' ways to sign, by the name of the server's router. Two are left out, since their keys lie at addresses
 * of the vendor that the server fetches itself: connectwise and google-mail.
 */
export const webhookSchemes: Readonly<Record<string, WebhookScheme>> = {
  airtable: {
    secret: () => Buffer.from("a sample secret").toString("base64"),
    sign: ({ secret, body }) => ({
      headers: {
        "x-airtable-content-mac": `hmac-sha256=${hmac(Buffer.from(secret, "base64"), body)}`,
      },
    }),
    event: () => ({ base: { id: "app1" }, webhook: { id: "ach1" }, timestamp: now() }),
  },
  asana: {
    signsWith: "connection",
    sign: overBody("x-hook-signature"),
    event: () => ({
      events: [{ action: "changed", resource: { gid: "1", resource_type: "task" } }],
    }),
  },
  attio: {
    sign: overBody("attio-signature"),
    event: ({ workspace_id = "w1" }) => ({
      events: [{ event_type: "record.created", id: { workspace_id, record_id: "r1" } }],
    }),
  },
  "cal-com": {
    sign: overBody("x-cal-signature-256"),
    event: () => ({ triggerEvent: "BOOKING_CREATED", createdAt: now(), payload: { uid: "b1" } }),
  },
  calendly: {
    sign: timedPairs("calendly-webhook-signature"),
    event: ({ owner = "https://api.calendly.com/users/U1" }) => ({
      event: "invitee.created",
      created_by: owner,
      payload: { email: "ada@example.com" },
    }),
  },
  checkr: {
    sign: overBody("x-checkr-signature"),
    event: ({ account_id = "a1" }) => ({
      id: `ev_${number()}`,
      type: "report.completed",
      account_id,
    }),
  },
  discord: {
    secret: ed25519PublicKey,
    sign: ({ body, at }) => ({
      headers: {
        "x-signature-timestamp": seconds(at),
        "x-signature-ed25519": ed25519Sign(seconds(at) + body).toString("hex"),
      },
    }),
    event: (reported) => ({
      type: 1,
      event: {
        type: "APPLICATION_AUTHORIZED",
        data: { guild: { id: reported["guild.id"] ?? "g1" } },
      },
    }),
  },
  fathom: {
    secret: () => WHSEC,
    sign: standard,
    event: () => ({ title: "Weekly", recorded_by: { email: "ada@example.com" } }),
  },
  folk: { secret: () => WHSEC, sign: standard, event: () => ({ type: "person.created" }) },
  github: {
    sign: overBody("x-hub-signature-256", { prefix: "sha256=" }),
    headers: () => ({ "x-github-event": "issues", "x-github-delivery": crypto.randomUUID() }),
    event: ({ installation_id }) => ({
      action: "opened",
      issue: { id: number(), number: 1, title: "Crash at start" },
      ...(installation_id === undefined ? {} : { installation: { id: installation_id } }),
    }),
  },
  gitlab: {
    signsWith: "connection",
    sign: token("x-gitlab-token"),
    headers: () => ({
      "x-gitlab-event": "Issue Hook",
      "x-gitlab-event-uuid": crypto.randomUUID(),
    }),
    event: () => ({ object_kind: "issue", object_attributes: { id: 1, action: "open" } }),
  },
  "google-calendar": {
    sign: token("x-goog-channel-token"),
    headers: () => ({
      "x-goog-channel-id": "channel-1",
      "x-goog-message-number": String(number()),
      "x-goog-resource-state": "exists",
      "x-goog-resource-uri":
        "https://www.googleapis.com/calendar/v3/calendars/ada@example.com/events?alt=json",
    }),
  },
  "google-drive": {
    sign: token("x-goog-channel-token"),
    headers: () => ({
      "x-goog-channel-id": "channel-1",
      "x-goog-message-number": String(number()),
      "x-goog-resource-state": "update",
      "x-goog-resource-id": "resource-1",
    }),
  },
  highlevel: {
    secret: rsaPublicKey,
    sign: ({ body }) => ({ headers: { "x-wh-signature": rsaSign(body).toString("base64") } }),
    event: ({ locationId = "l1", companyId }) => ({
      type: "ContactCreate",
      locationId,
      companyId,
      webhookId: crypto.randomUUID(),
    }),
  },
  hubspot: {
    signsWith: "client_secret",
    sign: ({ secret, url, body, at }) => ({
      headers: {
        "x-hubspot-request-timestamp": String(at.getTime()),
        "x-hubspot-signature-v3": hmac(secret, `POST${url}${body}${at.getTime()}`, {
          encoding: "base64",
        }),
      },
    }),
    event: ({ portalId = "1" }) => [
      {
        eventId: number(),
        subscriptionId: 1,
        portalId,
        occurredAt: Date.now(),
        subscriptionType: "contact.creation",
        objectId: 1001,
      },
    ],
  },
  intercom: {
    signsWith: "client_secret",
    sign: overBody("x-hub-signature", { algorithm: "sha1", prefix: "sha1=" }),
    event: ({ app_id = "a1" }) => ({
      type: "notification_event",
      id: `notif_${number()}`,
      topic: "contact.created",
      app_id,
      data: { item: { type: "contact", id: "c1" } },
    }),
  },
  jira: {
    sign: overBody("x-hub-signature", { prefix: "sha256=" }),
    event: ({ baseUrl = "https://acme.atlassian.net" }) => ({
      webhookEvent: "jira:issue_updated",
      timestamp: Date.now(),
      issue: { id: "1", key: "ACME-1", self: `${baseUrl}/rest/api/2/issue/1` },
    }),
  },
  jobber: {
    signsWith: "client_secret",
    sign: overBody("x-jobber-hmac-sha256", { encoding: "base64" }),
    event: ({ accountId = "a1" }) => ({
      data: { webHookEvent: { topic: "CLIENT_CREATE", accountId, itemId: "i1" } },
    }),
  },
  jobdiva: {
    sign: overBody("x-hub-signature", { algorithm: "sha1", prefix: "sha1=" }),
    event: () => ({ type: "Job", operation: "insert", id: 1 }),
  },
  linear: {
    sign: overBody("linear-signature"),
    event: ({ organizationId = "o1" }) => ({
      action: "create",
      type: "Issue",
      organizationId,
      data: { id: "i1", title: "Crash at start" },
      webhookTimestamp: Date.now(),
    }),
  },
  microsoft: {
    sign: ({ secret, body }) => ({ body: withClientState(body, secret) }),
    event: ({ tenantId = "t1" }) => ({
      value: [
        {
          id: crypto.randomUUID(),
          subscriptionId: "s1",
          changeType: "created",
          resource: "users/u1/messages/m1",
          tenantId,
        },
      ],
    }),
  },
  notion: {
    sign: overBody("x-notion-signature", { prefix: "sha256=" }),
    event: ({ workspace_id = "w1" }) => ({
      id: crypto.randomUUID(),
      type: "page.created",
      workspace_id,
      entity: { id: "p1", type: "page" },
    }),
  },
  pagerduty: {
    signsWith: "connection",
    sign: overBody("x-pagerduty-signature", { prefix: "v1=" }),
    event: () => ({ event: { id: `e${number()}`, event_type: "incident.triggered" } }),
  },
  quickbooks: {
    sign: overBody("intuit-signature", { encoding: "base64" }),
    event: ({ realmId = "9" }) => [
      {
        specversion: "1.0",
        id: crypto.randomUUID(),
        type: "qbo.invoice.created.v1",
        intuitentityid: "1",
        intuitaccountid: realmId,
      },
    ],
  },
  sellsy: {
    sign: ({ secret, body }) => ({
      headers: { "x-webhook-signature": hash(secret + body, "sha1") },
    }),
    event: ({ corpid = "7" }) => ({ relatedtype: "client", event: "created", corpid }),
  },
  sentry: {
    signsWith: "client_secret",
    sign: overBody("sentry-hook-signature"),
    headers: () => ({ "sentry-hook-resource": "issue", "request-id": crypto.randomUUID() }),
    event: ({ installation_id, installationId }) => ({
      action: "created",
      installation: { uuid: installation_id ?? installationId ?? "u1" },
      data: { issue: { id: "1", title: "Crash at start" } },
    }),
  },
  shopify: {
    signsWith: "client_secret",
    sign: overBody("x-shopify-hmac-sha256", { encoding: "base64" }),
    headers: ({ subdomain = "acme" }) => ({
      "x-shopify-topic": "orders/create",
      "x-shopify-shop-domain": `${subdomain}.myshopify.com`,
      "x-shopify-webhook-id": crypto.randomUUID(),
    }),
    event: () => ({ id: number(), name: "#1001", total_price: "12.50" }),
  },
  slack: {
    sign: versionZero("x-slack-signature", "x-slack-request-timestamp"),
    event: (reported) => ({
      type: "event_callback",
      team_id: reported["team.id"] ?? "T1",
      event_id: `Ev${number()}`,
      event: { type: "message", channel: "C1", user: "U1", text: "Hello" },
    }),
  },
  stripe: {
    sign: timedPairs("stripe-signature"),
    event: ({ stripe_user_id }) => ({
      id: `evt_${number()}`,
      object: "event",
      type: "charge.succeeded",
      ...(stripe_user_id === undefined ? {} : { account: stripe_user_id }),
      data: { object: { id: "ch_1", object: "charge", amount: 1500 } },
    }),
  },
  ticketing: {
    sign: overBody("x-hook-signature", { algorithm: "sha1", encoding: "base64", prefix: "sha1=" }),
    event: ({ webhookGuid = "g1" }) => ({
      Action: "Create",
      Guid: webhookGuid,
      EntityType: "Ticket",
      Id: 1,
      SequenceNumber: number(),
    }),
  },
  twilio: {
    format: "form",
    sign: ({ secret, url, body }) => ({
      headers: {
        "x-twilio-signature": hmac(secret, url + sortedForm(body), {
          algorithm: "sha1",
          encoding: "base64",
        }),
      },
    }),
    event: ({ accountSid = "AC1" }) => ({
      MessageSid: `SM${number()}`,
      MessageStatus: "delivered",
      AccountSid: accountSid,
    }),
  },
  typeform: {
    sign: overBody("typeform-signature", { encoding: "base64", prefix: "sha256=" }),
    event: () => ({
      event_id: crypto.randomUUID(),
      event_type: "form_response",
      form_response: { form_id: "f1", answers: [] },
    }),
  },
  videoask: {
    sign: token("svc-webhook-secret"),
    event: () => ({ event_type: "form_response", type: "form_response" }),
  },
  xero: {
    sign: overBody("x-xero-signature", { encoding: "base64" }),
    event: ({ tenant_id = "t1" }) => ({
      events: [
        { tenantId: tenant_id, eventCategory: "INVOICE", eventType: "CREATE", resourceId: "r1" },
      ],
      firstEventSequence: 1,
      lastEventSequence: 1,
    }),
  },
  zendesk: {
    sign: ({ secret, body, at }) => ({
      headers: {
        "x-zendesk-webhook-signature-timestamp": at.toISOString(),
        "x-zendesk-webhook-signature": hmac(secret, at.toISOString() + body, {
          encoding: "base64",
        }),
      },
    }),
    headers: () => ({ "x-zendesk-webhook-invocation-id": crypto.randomUUID() }),
    event: () => ({ type: "zen:event-type:ticket.created", account_id: 12, detail: { id: "1" } }),
  },
  zoom: {
    sign: versionZero("x-zm-signature", "x-zm-request-timestamp"),
    event: ({ account_id, accountId }) => ({
      event: "meeting.started",
      event_ts: Date.now(),
      payload: { account_id: account_id ?? accountId ?? "a1", object: { id: "1" } },
    }),
  },
};

/** Each notification of the list carries the subscription's secret. */
function withClientState(body: string, clientState: string): string {
  const { value, ...others } = JSON.parse(body);
  const list: object[] = Array.isArray(value) ? value : [];
  return JSON.stringify({ ...others, value: list.map((each) => ({ ...each, clientState })) });
}

/** Names and values one after the other, in the order of the names. */
function sortedForm(body: string): string {
  return [...new URLSearchParams(body)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flat()
    .join("");
}
