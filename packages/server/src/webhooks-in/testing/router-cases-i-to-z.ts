import {
  byConfig,
  byMetadata,
  clientSecret,
  json,
  named,
  overBody,
  type RouterCase,
  SECRET,
  seconds,
  timedPairs,
  URL_OF_TEST,
  webhookSecret,
} from "./router-case.ts";

const form = { "content-type": "application/x-www-form-urlencoded" };
const twilioForm = "MessageStatus=delivered&AccountSid=AC1&Tag=b&Tag=a";

/** Vendors from I to Z. */
export const casesIToZ: readonly RouterCase[] = [
  {
    router: "intercom",
    body: json({ topic: "contact.created", app_id: "a1", id: "n1" }),
    keys: clientSecret,
    ...overBody("x-hub-signature", { algorithm: "sha1", prefix: "sha1=" }),
    types: ["contact.created"],
    match: [...byConfig("app_id", "a1"), ...byMetadata("appId", "a1")],
  },
  {
    router: "jira",
    body: json({
      webhookEvent: "jira:issue_updated",
      issue: { self: "https://acme.atlassian.net/rest/api/2/issue/1" },
    }),
    keys: webhookSecret,
    ...overBody("x-hub-signature", { prefix: "sha256=" }),
    types: ["jira:issue_updated"],
    match: byConfig("baseUrl", "https://acme.atlassian.net"),
  },
  ...(["Bearer", "JWT"] as const).map(
    (kind): RouterCase => ({
      router: "jira",
      body: json({ webhookEvent: "comment_created", comment: { self: "https://a.atlassian.net" } }),
      keys: () =>
        kind === "JWT"
          ? { webhookSecret: SECRET, clientSecret: "of the client" }
          : { webhookSecret: "of the webhook", clientSecret: SECRET },
      header: "authorization",
      isTimed: true,
      isToken: true,
      sign: (_request, at, { hmac }) => {
        const claims = { iss: "jira", iat: Number(seconds(at)), exp: Number(seconds(at)) + 180 };
        const content = [{ alg: "HS256", typ: "JWT" }, claims]
          .map((part) => Buffer.from(json(part)).toString("base64url"))
          .join(".");
        const signature = hmac("sha256", SECRET, content).toString("base64url");
        return { authorization: `${kind} ${content}.${signature}` };
      },
      types: ["comment_created"],
      match: byConfig("baseUrl", "https://a.atlassian.net"),
    }),
  ),
  {
    router: "jobber",
    body: json({ data: { webHookEvent: { topic: "CLIENT_CREATE", accountId: "a1" } } }),
    keys: clientSecret,
    ...overBody("x-jobber-hmac-sha256", { encoding: "base64" }),
    types: ["CLIENT_CREATE"],
    match: byConfig("accountId", "a1"),
  },
  {
    router: "jobdiva",
    body: json({ type: "Job", operation: "insert" }),
    keys: webhookSecret,
    ...overBody("x-hub-signature", { algorithm: "sha1", prefix: "sha1=" }),
    types: ["Job insert"],
    match: "all",
  },
  {
    router: "linear",
    body: json({ type: "Issue", organizationId: "o1" }),
    keys: webhookSecret,
    ...overBody("linear-signature"),
    types: ["Issue"],
    match: byConfig("organizationId", "o1"),
  },
  {
    router: "microsoft",
    body: json({
      value: [
        { changeType: "created", subscriptionId: "s1", tenantId: "t1", clientState: SECRET },
        { changeType: "created", subscriptionId: "s1", tenantId: "t1", clientState: SECRET },
      ],
    }),
    keys: webhookSecret,
    sign: () => ({}),
    types: ["created"],
    match: [...byMetadata("subscriptionIds", "s1"), ...byConfig("tenantId", "t1")],
  },
  {
    router: "notion",
    body: json({ id: "e1", type: "page.created", workspace_id: "w1" }),
    keys: webhookSecret,
    ...overBody("x-notion-signature", { prefix: "sha256=" }),
    types: ["page.created"],
    match: byConfig("workspace_id", "w1"),
  },
  {
    router: "pagerduty",
    headers: { "x-svc-connection-id": "customer-1" },
    body: json({ event: { id: "e1", event_type: "incident.triggered" } }),
    keys: () => ({ connectionSecret: SECRET }),
    header: "x-pagerduty-signature",
    sign: ({ body }, _at, { hmac }) => ({
      "x-pagerduty-signature": `v1=${"0".repeat(64)},v1=${hmac("sha256", SECRET, body).toString("hex")}`,
    }),
    types: ["incident.triggered"],
    match: named,
  },
  {
    router: "quickbooks",
    body: json([
      { specversion: "1.0", id: "e1", type: "qbo.invoice.created.v1", intuitaccountid: "9" },
    ]),
    keys: webhookSecret,
    ...overBody("intuit-signature", { encoding: "base64" }),
    types: ["qbo.invoice.created.v1"],
    match: byConfig("realmId", "9"),
  },
  {
    router: "quickbooks",
    body: json({
      eventNotifications: [
        { realmId: "9", dataChangeEvent: { entities: [{ name: "Invoice", id: "1" }] } },
      ],
    }),
    keys: webhookSecret,
    ...overBody("intuit-signature", { encoding: "base64" }),
    types: ["Invoice"],
    match: byConfig("realmId", "9"),
  },
  {
    router: "sellsy",
    body: json({ relatedtype: "client", event: "created", corpid: "7" }),
    keys: webhookSecret,
    header: "x-webhook-signature",
    sign: ({ body }, _at, { digest }) => ({
      "x-webhook-signature": digest("sha1", `${SECRET}${body}`).toString("hex"),
    }),
    types: ["client.created"],
    match: byConfig("corpid", "7"),
  },
  {
    router: "sentry",
    headers: { "sentry-hook-resource": "issue" },
    body: json({ action: "created", installation: { uuid: "u1" }, data: {} }),
    keys: clientSecret,
    ...overBody("sentry-hook-signature"),
    types: ["created", "issue"],
    match: [...byConfig("installation_id", "u1"), ...byConfig("installationId", "u1")],
  },
  {
    router: "shopify",
    headers: { "x-shopify-topic": "orders/create", "x-shopify-shop-domain": "acme.myshopify.com" },
    body: json({ id: 1 }),
    keys: clientSecret,
    ...overBody("x-shopify-hmac-sha256", { encoding: "base64" }),
    types: ["orders/create"],
    match: byConfig("subdomain", "acme"),
  },
  {
    router: "slack",
    body: json({
      type: "event_callback",
      team_id: "T1",
      event_id: "Ev1",
      event: { type: "message" },
    }),
    keys: webhookSecret,
    header: "x-slack-signature",
    isTimed: true,
    sign: ({ body }, at, { hmac }) => ({
      "x-slack-request-timestamp": seconds(at),
      "x-slack-signature": `v0=${hmac("sha256", SECRET, `v0:${seconds(at)}:${body}`).toString("hex")}`,
    }),
    types: ["event_callback", "message"],
    match: byConfig("team.id", "T1"),
  },
  {
    router: "stripe",
    body: json({ id: "evt_1", type: "charge.succeeded", account: "acct_1" }),
    keys: webhookSecret,
    ...timedPairs("stripe-signature"),
    types: ["charge.succeeded"],
    match: [...byConfig("stripe_user_id", "acct_1"), ...byMetadata("stripeAccount", "acct_1")],
  },
  {
    router: "ticketing",
    body: json({ Action: "Create", Guid: "g1", EntityType: "Ticket", SequenceNumber: 1 }),
    keys: webhookSecret,
    ...overBody("x-hook-signature", { algorithm: "sha1", encoding: "base64", prefix: "sha1=" }),
    types: ["Ticket"],
    match: byConfig("webhookGuid", "g1"),
  },
  {
    router: "twilio",
    headers: form,
    body: twilioForm,
    keys: webhookSecret,
    header: "x-twilio-signature",
    sign: (_request, _at, { hmac }) => ({
      "x-twilio-signature": hmac(
        "sha1",
        SECRET,
        `${URL_OF_TEST}AccountSidAC1MessageStatusdeliveredTagaTagb`,
      ).toString("base64"),
    }),
    types: ["delivered"],
    match: [...byConfig("accountSid", "AC1"), ...byMetadata("accountSid", "AC1")],
  },
  {
    router: "typeform",
    body: json({ event_type: "form_response", event_id: "e1", form_response: { form_id: "f1" } }),
    keys: webhookSecret,
    ...overBody("typeform-signature", { encoding: "base64", prefix: "sha256=" }),
    types: ["form_response"],
    match: [...byMetadata("formIds", "f1"), ...byMetadata("formId", "f1")],
  },
  {
    router: "videoask",
    headers: { "svc-connection-id": "customer-1" },
    body: json({ type: "form_response" }),
    keys: webhookSecret,
    header: "svc-webhook-secret",
    isToken: true,
    sign: () => ({ "svc-webhook-secret": SECRET }),
    types: ["form_response"],
    match: named,
  },
  {
    router: "xero",
    body: json({ events: [{ tenantId: "t1", eventType: "CREATE", resourceId: "r1" }] }),
    keys: webhookSecret,
    ...overBody("x-xero-signature", { encoding: "base64" }),
    types: ["CREATE"],
    match: byConfig("tenant_id", "t1"),
  },
  {
    router: "zendesk",
    body: json({ type: "zen:event-type:ticket.created", account_id: 12 }),
    keys: webhookSecret,
    header: "x-zendesk-webhook-signature",
    isTimed: true,
    sign: ({ body }, at, { hmac }) => ({
      "x-zendesk-webhook-signature-timestamp": at.toISOString(),
      "x-zendesk-webhook-signature": hmac("sha256", SECRET, `${at.toISOString()}${body}`).toString(
        "base64",
      ),
    }),
    types: ["zen:event-type:ticket.created"],
    match: byMetadata("accountId", "12"),
  },
  {
    router: "zoom",
    body: json({ event: "meeting.started", payload: { account_id: "a1" } }),
    keys: webhookSecret,
    header: "x-zm-signature",
    isTimed: true,
    sign: ({ body }, at, { hmac }) => ({
      "x-zm-request-timestamp": seconds(at),
      "x-zm-signature": `v0=${hmac("sha256", SECRET, `v0:${seconds(at)}:${body}`).toString("hex")}`,
    }),
    types: ["meeting.started"],
    match: [...byConfig("account_id", "a1"), ...byConfig("accountId", "a1")],
  },
];
