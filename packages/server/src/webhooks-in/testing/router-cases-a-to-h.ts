import {
  byConfig,
  byMetadata,
  clientSecret,
  inAddress,
  json,
  named,
  ofConnection,
  overBody,
  type RouterCase,
  SECRET,
  type Signer,
  seconds,
  standard,
  timedPairs,
  URL_OF_TEST,
  WHSEC,
  webhookSecret,
} from "./router-case.ts";

const PUSHER = "push@project.iam.gserviceaccount.com";

function jwtOf(at: Date, { rsaSign }: Signer): string {
  const encode = (value: object) => Buffer.from(json(value)).toString("base64url");
  const iat = Math.floor(at.getTime() / 1000);
  const claims = {
    iss: "https://accounts.google.com",
    aud: URL_OF_TEST,
    iat,
    exp: iat + 3600,
    email: PUSHER,
    email_verified: true,
  };
  const content = `${encode({ alg: "RS256", kid: "1", typ: "JWT" })}.${encode(claims)}`;
  return `${content}.${rsaSign(content).toString("base64url")}`;
}

const mail = Buffer.from(json({ emailAddress: "ana@example.com", historyId: 9 })).toString(
  "base64",
);
// printf 'svc-email-address:ana@example.com' | openssl dgst -sha256
const MAIL_HASH = "34d94ce64d3a13eb4f4383cd70f64b77db1bb0e38a2f3dae52f878a834fcce5c";

/** Vendors from A to H. */
export const casesAToH: readonly RouterCase[] = [
  {
    router: "airtable",
    body: json({ base: { id: "app1" }, webhook: { id: "ach1" }, timestamp: "2026-01-01" }),
    keys: () => ({ webhookSecret: Buffer.from(SECRET).toString("base64") }),
    ...overBody("x-airtable-content-mac", { prefix: "hmac-sha256=" }),
    types: ["*"],
    match: byMetadata("webhooks", "ach1"),
  },
  {
    router: "asana",
    ...inAddress,
    body: json({ events: [{ action: "changed", resource: { gid: "1", resource_type: "task" } }] }),
    keys: ofConnection,
    ...overBody("x-hook-signature"),
    types: ["task.changed"],
    match: named,
  },
  {
    router: "attio",
    body: json({ events: [{ event_type: "record.created", id: { workspace_id: "w1" } }] }),
    keys: webhookSecret,
    ...overBody("attio-signature"),
    types: ["record.created"],
    match: byConfig("workspace_id", "w1"),
  },
  {
    router: "cal-com",
    ...inAddress,
    body: json({ triggerEvent: "BOOKING_CREATED", payload: {} }),
    keys: webhookSecret,
    ...overBody("x-cal-signature-256"),
    types: ["BOOKING_CREATED"],
    match: named,
  },
  {
    router: "calendly",
    body: json({ event: "invitee.created", created_by: "https://api.calendly.com/users/U1" }),
    keys: webhookSecret,
    ...timedPairs("calendly-webhook-signature"),
    types: ["invitee.created"],
    match: byConfig("owner", "https://api.calendly.com/users/U1"),
  },
  {
    router: "checkr",
    body: json({ id: "ev1", type: "report.completed", account_id: "ac1" }),
    keys: webhookSecret,
    ...overBody("x-checkr-signature"),
    types: ["report.completed"],
    match: byConfig("account_id", "ac1"),
  },
  {
    router: "connectwise",
    body: json({
      Type: "ticket",
      ProductInstanceId: "p1",
      Metadata: { key_url: "https://na.myconnectwise.net/keys/1" },
    }),
    keys: () => ({}),
    isVendorsKey: true,
    documents: () => ({ "https://na.myconnectwise.net/keys/1": json({ signing_key: SECRET }) }),
    header: "x-content-signature",
    sign: ({ body }, _at, { digest, hmac }) => ({
      "x-content-signature": hmac("sha256", digest("sha256", SECRET), body).toString("base64"),
    }),
    types: ["ticket"],
    match: [
      { property: "metadata.productInstanceId", value: "p1" },
      { property: "metadata.ProductInstanceId", value: "p1" },
    ],
  },
  {
    router: "discord",
    body: json({
      type: 1,
      event: { type: "APPLICATION_AUTHORIZED", data: { guild: { id: "g1" } } },
    }),
    keys: ({ edPublicKey }) => ({ webhookSecret: edPublicKey.toString("hex") }),
    header: "x-signature-ed25519",
    sign: ({ body }, at, { edSign }) => ({
      "x-signature-timestamp": seconds(at),
      "x-signature-ed25519": edSign(`${seconds(at)}${body}`).toString("hex"),
    }),
    types: ["APPLICATION_AUTHORIZED", "1"],
    match: [...byConfig("guild.id", "g1"), ...byMetadata("guildIds", "g1")],
  },
  {
    router: "fathom",
    body: json({ recorded_by: { email: "ana@example.com" } }),
    keys: () => ({ webhookSecret: WHSEC }),
    ...standard,
    types: ["*"],
    match: [...byMetadata("email", "ana@example.com"), ...byMetadata("emails", "ana@example.com")],
  },
  {
    router: "folk",
    ...inAddress,
    body: json({ type: "person.created" }),
    keys: () => ({ webhookSecret: WHSEC }),
    ...standard,
    types: ["person.created"],
    match: named,
  },
  {
    router: "github",
    headers: { "x-github-event": "issues", "x-github-delivery": "d1" },
    body: json({ action: "opened", installation: { id: 42 } }),
    keys: webhookSecret,
    ...overBody("x-hub-signature-256", { prefix: "sha256=" }),
    types: ["issues"],
    match: byConfig("installation_id", "42"),
  },
  {
    router: "gitlab",
    ...inAddress,
    headers: { "x-gitlab-event": "Push Hook" },
    body: json({ object_kind: "push" }),
    keys: () => ({ connectionSecret: WHSEC }),
    ...standard,
    types: ["Push Hook", "push"],
    match: named,
  },
  {
    router: "gitlab",
    ...inAddress,
    headers: { "x-gitlab-event": "Push Hook" },
    body: json({ object_kind: "push" }),
    keys: ofConnection,
    header: "x-gitlab-token",
    isToken: true,
    sign: () => ({ "x-gitlab-token": SECRET }),
    types: ["Push Hook", "push"],
    match: named,
  },
  {
    router: "google-calendar",
    headers: {
      "x-goog-channel-id": "c1",
      "x-goog-message-number": "2",
      "x-goog-resource-state": "exists",
      "x-goog-resource-uri":
        "https://www.googleapis.com/calendar/v3/calendars/team/events?alt=json",
    },
    body: "",
    keys: webhookSecret,
    header: "x-goog-channel-token",
    isToken: true,
    sign: () => ({ "x-goog-channel-token": SECRET }),
    types: ["exists"],
    match: byMetadata(
      "calendarWatchResourceUris",
      "https://www.googleapis.com/calendar/v3/calendars/team/events?alt=json",
    ),
  },
  {
    router: "google-drive",
    headers: { "x-cal-resource-state": "update", "x-cal-resource-id": "r1" },
    body: "",
    keys: webhookSecret,
    header: "x-cal-channel-token",
    isToken: true,
    sign: () => ({ "x-cal-channel-token": SECRET }),
    types: ["update"],
    match: byMetadata("driveWatchResourceIds", "r1"),
  },
  {
    router: "google-mail",
    body: json({ message: { data: mail, messageId: "m1" }, subscription: "s" }),
    keys: () => ({ webhookSecret: PUSHER }),
    documents: ({ rsaModulus }) => ({
      "https://www.googleapis.com/oauth2/v3/certs": json({
        keys: [
          {
            kty: "RSA",
            alg: "RS256",
            use: "sig",
            kid: "1",
            e: "AQAB",
            n: rsaModulus.toString("base64url"),
          },
        ],
      }),
    }),
    header: "authorization",
    isTimed: true,
    isToken: true,
    sign: (_request, at, tools) => ({ authorization: `Bearer ${jwtOf(at, tools)}` }),
    types: ["*"],
    match: [
      ...byConfig("emailAddressHash", MAIL_HASH),
      ...byMetadata("emailAddress", "ana@example.com"),
      ...byMetadata("email", "ana@example.com"),
    ],
  },
  {
    router: "highlevel",
    body: json({ type: "ContactCreate", locationId: "l1", companyId: "c1", webhookId: "w1" }),
    keys: ({ edPublicKeyPem }) => ({ webhookSecret: edPublicKeyPem }),
    header: "x-ghl-signature",
    sign: ({ body }, _at, { edSign, rsaSign }) => ({
      "x-ghl-signature": edSign(body).toString("base64"),
      "x-wh-signature": rsaSign(body).toString("base64"),
    }),
    types: ["ContactCreate"],
    match: [...byConfig("locationId", "l1"), ...byConfig("companyId", "c1")],
  },
  {
    router: "highlevel",
    body: json({ type: "ContactCreate", locationId: "l1", companyId: "c1", webhookId: "w1" }),
    keys: ({ rsaPublicKey }) => ({ webhookSecret: rsaPublicKey }),
    header: "x-wh-signature",
    sign: ({ body }, _at, { rsaSign }) => ({ "x-wh-signature": rsaSign(body).toString("base64") }),
    types: ["ContactCreate"],
    match: [...byConfig("locationId", "l1"), ...byConfig("companyId", "c1")],
  },
  {
    router: "hubspot",
    body: json([{ subscriptionType: "contact.creation", portalId: 5, eventId: 1 }]),
    keys: clientSecret,
    header: "x-hubspot-signature-v3",
    isTimed: true,
    sign: ({ body }, at, { hmac }) => ({
      "x-hubspot-request-timestamp": String(at.getTime()),
      "x-hubspot-signature-v3": hmac(
        "sha256",
        SECRET,
        `POST${URL_OF_TEST}${body}${at.getTime()}`,
      ).toString("base64"),
    }),
    types: ["contact.creation"],
    match: byConfig("portalId", "5"),
  },
  {
    router: "hubspot",
    body: json([{ subscriptionType: "contact.creation", portalId: 5, eventId: 1 }]),
    keys: clientSecret,
    header: "x-hubspot-signature",
    sign: ({ body }, _at, { digest }) => ({
      "x-hubspot-signature": digest("sha256", `${SECRET}${body}`).toString("hex"),
    }),
    types: ["contact.creation"],
    match: byConfig("portalId", "5"),
  },
];
