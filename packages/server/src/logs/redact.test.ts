import { expect, test } from "vitest";
import { cpuMsOf } from "#foundation/testing";
import { redactRequest, redactResponse, redactText, redactUrl, redactValue } from "./redact.ts";

const SECRET = "s3cr3t-Value_9f8e7d6c";
const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${SECRET}`;

test.for([
  `https://user:${SECRET}@api.example/contacts`,
  `https://${SECRET}@api.example/contacts`,
  `https://api.example/contacts?access_token=${SECRET}&page=2`,
  `https://api.example/contacts#${SECRET}`,
])("an address is shown without its secret: %s", (url) => {
  expect(redactUrl(url)).toBe("https://api.example/contacts");
});

test("headers are shown by name, and by value only where that is harmless", () => {
  const headers = {
    authorization: `Bearer ${SECRET}`,
    "x-api-key": SECRET,
    cookie: SECRET,
    "x-vendor-session": SECRET,
    "content-type": "application/json",
    "retry-after": "3",
    link: `<https://api.example/contacts?access_token=${SECRET}&page=2>; rel="next"`,
  };

  const request = redactRequest({ method: "GET", url: "https://api.example/a", headers });
  const response = redactResponse({ code: 200, headers: { ...headers, "set-cookie": SECRET } });

  expect(JSON.stringify([request, response])).not.toContain(SECRET);
  expect(request.headers).toMatchObject({
    authorization: "[redacted]",
    "content-type": "application/json",
    "retry-after": "3",
  });
});

test.for([
  `calling with Authorization: Bearer ${SECRET}`,
  `curl -u Basic ${SECRET}`,
  `GET https://api.example/a?api_key=${SECRET}&x=1 failed`,
  `GET https://me:${SECRET}@api.example/ failed`,
  `token is ${jwt}`,
  `got {"access_token":"${SECRET}","expires_in":3600}`,
  `got ${JSON.stringify(JSON.stringify({ client_secret: SECRET }))}`,
  `the key svc_key_${SECRET} was used`,
  `whsec_${SECRET.replaceAll("-", "_")}`,
  `Set-Cookie: session=${SECRET}; Path=/`,
  `sent X-Api-Key: ${SECRET}`,
  `got {"headers":{"x-auth-token":"${SECRET}"}}`,
  `got {"bot_access_token":"${SECRET}"}`,
  `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}\n-----END RSA PRIVATE KEY-----`,
])("a text is shown without its secret: %s", (text) => {
  const shown = redactText(text);

  expect(shown).toContain("[redacted]");
  expect(shown).not.toContain(SECRET);
  expect(shown).not.toContain(SECRET.replaceAll("-", "_"));
});

test.for(['{"next_page_token":"CAUQAA12"}', '{"nextPageToken":"CAUQAA12"}', "a cookie: none"])(
  "a text without a secret is shown as it is: %s",
  (text) => {
    expect(redactText(text)).toBe(text);
  },
);

test("fields named after a credential lose their value, however deep they are", () => {
  const shown = redactValue({
    config: { headers: { Authorization: `Bearer ${SECRET}` }, url: "/contacts" },
    accounts: [{ name: "Ada", password: SECRET, apiKey: SECRET, refreshToken: SECRET }],
    credentials: { raw: { x: SECRET } },
    more: { botToken: SECRET, webhook_secret: SECRET, "X-Api-Key": SECRET, slackApiKey: SECRET },
    nextPageToken: "page-2",
    tokens: 3,
    token: null,
    note: `see https://x.example/?token=${SECRET}`,
  });

  expect(JSON.stringify(shown)).not.toContain(SECRET);
  expect(shown).toMatchObject({
    config: { url: "/contacts" },
    accounts: [{ name: "Ada", password: "[redacted]" }],
    nextPageToken: "page-2",
    tokens: 3,
    token: null,
  });
});

test("what is no secret stays as it was written", () => {
  const plain = [
    "Attempt 1 was answered with 503; the next follows in 3000 ms.",
    "Sync of contacts: 3 added, token bucket is full",
    "password reset mail for ada was sent",
    "https://api.example/contacts?page=2",
  ];

  expect(plain.map(redactText)).toEqual(plain);
});

test.for([`www.example-site.${jwt}`, `token-${jwt}`, `a.b.${jwt}, and more`, `old-eyJ.${jwt}`])(
  "a token within a word is taken out: %s",
  (text) => {
    const shown = redactText(text);

    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain("eyJzdWIiOiIxMjM0In0");
  },
);

/** What made patterns look again and again for an end that is not there. */
const repeated = [
  ...[
    "-eyJ",
    "eyJ",
    "-eyJaaaaaaaa.",
    "eyJaaaaaaaaaaaa.aaaaaaaaa-eyJ",
    ".",
    "a.",
    "A+",
    "a:",
    "a://",
    "//",
  ],
  ...[
    "Bearer ",
    "Bearer  ",
    "svc_key_",
    "-svc_key_a",
    "whsec_",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
  ],
  ...[
    "?token=",
    "&key",
    ";code=",
    '"token"',
    '"token" ',
    "'secret':",
    '\\"token\\":',
    " ",
    "\\",
    "@",
    "a@",
  ],
];

test("redaction takes time in proportion to the text", async () => {
  // Through a value: a text by itself is cut to 10,000 characters.
  const cpuOf = async (unit: string, size: number): Promise<number> => {
    const items = { text: unit.repeat(Math.ceil(size / unit.length)) };
    return await cpuMsOf(() => redactValue(items));
  };

  const slow: string[] = [];
  for (const unit of repeated) {
    await cpuOf(unit, 1000);
    const [half, whole] = [await cpuOf(unit, 40_000), await cpuOf(unit, 80_000)];
    // A square would take seconds; small times are noise.
    if (whole > 60 && whole > 3 * half) slow.push(unit);
  }

  expect(slow).toEqual([]);
});

test("a value is cut before it is read, with marks that say how much", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, index) => [`k${index}`, index]),
  );
  let deep: unknown = "end";
  for (let depth = 0; depth < 3000; depth += 1) deep = { in: deep };

  const shown = [
    redactValue({ list: Array.from({ length: 100_000 }, () => "x") }),
    redactValue(wide),
    redactValue(deep),
    redactValue({ texts: ["y".repeat(1_000_000), "z"] }),
    redactValue({ ["n".repeat(100_000)]: 1 }),
  ].map((value) => JSON.stringify(value));

  for (const text of shown) {
    expect(Buffer.byteLength(text)).toBeLessThan(99_000);
    expect(text).toMatch(/cut\]/);
  }
  expect(shown[0]).toContain("[95002 items cut]");
});
