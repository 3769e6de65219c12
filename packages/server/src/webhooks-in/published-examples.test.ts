import { expect, test } from "vitest";
import type { InboundRequest, WebhookKeys } from "./match/router.ts";
import { verifyRequest } from "./receive/verify-request.ts";
import { github } from "./routers/github.ts";
import { hubspot } from "./routers/hubspot.ts";
import { slack } from "./routers/slack.ts";
import { twilio } from "./routers/twilio.ts";

const noKeys: WebhookKeys = {
  webhookSecret: undefined,
  clientSecret: undefined,
  app: undefined,
  connectionSecret: undefined,
};

/** What vendors print in their documentation, secret and signature included. */
const examples = [
  {
    vendor: "GitHub, Validating webhook deliveries",
    router: github,
    keys: { webhookSecret: "It's a Secret to Everybody" },
    headers: {
      "x-hub-signature-256":
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    },
    body: "Hello, World!",
    url: "",
    at: 0,
  },
  {
    vendor: "Slack, Verifying requests from Slack",
    router: slack,
    keys: { webhookSecret: "8f742231b10e8888abcd99yyyzzz85a5" },
    headers: {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    },
    body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
    url: "",
    at: 1_531_420_618,
  },
  {
    vendor: "Twilio, Webhooks security",
    router: twilio,
    keys: { webhookSecret: "12345" },
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
    },
    body: "Digits=1234&To=%2B18005551212&From=%2B14158675309&Caller=%2B14158675309&CallSid=CA1234567890ABCDE",
    url: "https://mycompany.com/myapp.php?foo=1&bar=2",
    at: 0,
  },
  {
    vendor: "HubSpot, Validating requests, version 2",
    router: hubspot,
    keys: { clientSecret: "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy" },
    headers: {
      "x-hubspot-signature-version": "v2",
      "x-hubspot-signature": "9569219f8ba981ffa6f6f16aa0f48637d35d728c7e4d93d0d52efaa512af7900",
    },
    body: '{"example_field":"example_value"}',
    url: "https://www.example.com/webhook_uri",
    at: 0,
  },
] as const;

for (const { vendor, router, keys, headers, body, url, at } of examples) {
  test(`the example of ${vendor} is verified`, async () => {
    const request: InboundRequest = {
      method: "POST",
      url,
      headers,
      query: {},
      body: Buffer.from(body),
    };

    const isVerified = await verifyRequest({
      router,
      request,
      decoded: request,
      keys: { ...noKeys, ...keys },
      tools: { now: new Date(at * 1000), fetchText: () => Promise.reject(new Error("unused")) },
      allowUnsigned: false,
    });

    expect(isVerified).toBe(true);
  });
}
