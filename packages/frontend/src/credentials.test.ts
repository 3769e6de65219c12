import { expect, test } from "vitest";
import { type Credentials, chooseWay } from "./credentials.ts";

const routes: readonly [string, Credentials, Record<string, unknown>?][] = [
  ["/api-auth/api-key", { apiKey: "k" }],
  ["/api-auth/basic", { username: "u", password: "" }],
  ["/auth/tba", { token_id: "i", token_secret: "s" }],
  ["/oauth2/auth", { client_id: "i", client_secret: "s" }],
  ["/oauth2/auth", { client_id: "i", client_private_key: "p", client_certificate: "c" }],
  ["/auth/bill", { username: "u", password: "p", organization_id: "o", dev_key: "d" }],
  ["/auth/jwt", { privateKey: "p", issuerId: "i" }],
  ["/auth/jwt", { type: "JWT", teamId: "t" }, { teamId: "t" }],
  ["/auth/two-step", { type: "TWO_STEP", apiKey: "k" }, { apiKey: "k" }],
  [
    "/auth/signature",
    { type: "SIGNATURE", username: "u", password: "p" },
    { username: "u", password: "p" },
  ],
  ["/api-auth/basic", { type: "BASIC", username: "u" }, { username: "u", password: "" }],
  ["/auth/unauthenticated", { type: "NONE" }, {}],
  ["/auth/aws-sigv4", { type: "AWS_SIGV4", role_arn: "arn" }, { role_arn: "arn" }],
];

test.each(routes)("%s is chosen by the shape of the credentials", (path, credentials, body) => {
  expect(chooseWay(credentials)).toEqual({ kind: "post", path, body: body ?? credentials });
});

test.each([
  [undefined, {}],
  [{}, {}],
  [
    { oauth_client_id_override: "i", oauth_client_secret_override: "s" },
    { oauth_client_id_override: "i", oauth_client_secret_override: "s" },
  ],
])(
  "without credentials, or with an OAuth client, the browser goes to the provider",
  (given, override) => {
    expect(chooseWay(given)).toEqual({ kind: "browser", override });
  },
);

test.each([
  { username: "u" },
  { client_id: "i" },
  { token_id: "i" },
  { oauth_client_id_override: "i" },
  { something: "else" },
])("%j fits no way", (given) => {
  expect(chooseWay(Object(given))).toEqual({ kind: "unknown" });
});
