import type { Jackfield } from "../index.ts";

const singleSignOn = {
  name: "Acme",
  issuer: "https://login.example.com",
  client_id: "jackfield",
  group_claim: null,
  group_grants: [],
  adds_users: false,
  default_grants: [],
  allowed_domains: [],
  is_required: false,
};

/** Of the people of an account. */
export const userCalls: readonly [
  string,
  (client: Jackfield) => Promise<unknown>,
  string,
  unknown?,
][] = [
  ["users.list", (j) => j.users.list({ limit: 10 }), "GET /users?limit=10"],
  [
    "users.create",
    (j) =>
      j.users.create({
        email: "ada@example.com",
        name: "Ada",
        grants: [{ role: "support", environments: "all" }],
      }),
    "POST /users",
    {
      email: "ada@example.com",
      name: "Ada",
      grants: [{ role: "support", environments: "all" }],
    },
  ],
  [
    "users.update",
    (j) => j.users.update("u", { disabled: true }),
    "PATCH /users/u",
    { disabled: true },
  ],
  ["users.delete", (j) => j.users.delete("u"), "DELETE /users/u"],
  ["users.createLink", (j) => j.users.createLink("u"), "POST /users/u/link"],
  ["accounts.list", (j) => j.accounts.list({ limit: 10 }), "GET /accounts?limit=10"],
  [
    "accounts.create",
    (j) => j.accounts.create({ name: "Acme", rate_limit_per_minute: 100 }),
    "POST /accounts",
    { name: "Acme", rate_limit_per_minute: 100 },
  ],
  [
    "accounts.update",
    (j) => j.accounts.update("a", { name: "Acme Ltd" }),
    "PATCH /accounts/a",
    { name: "Acme Ltd" },
  ],
  ["accounts.delete", (j) => j.accounts.delete("a"), "DELETE /accounts/a"],
  [
    "accounts.erasures",
    (j) => j.accounts.erasures({ limit: 10 }),
    "GET /account-erasures?limit=10",
  ],
  ["accounts.erasure", (j) => j.accounts.erasure("e"), "GET /account-erasures/e"],
  ["users.deleteTotp", (j) => j.users.deleteTotp("u"), "DELETE /users/u/totp"],
  ["signIn.getRules", (j) => j.signIn.getRules(), "GET /account/sign-in-rules"],
  [
    "signIn.setRules",
    (j) => j.signIn.setRules({ second_factor_roles: ["owner"] }),
    "PUT /account/sign-in-rules",
    { second_factor_roles: ["owner"] },
  ],
  ["signIn.getSingleSignOn", (j) => j.signIn.getSingleSignOn(), "GET /account/sso"],
  [
    "signIn.setSingleSignOn",
    (j) => j.signIn.setSingleSignOn(singleSignOn),
    "PUT /account/sso",
    singleSignOn,
  ],
  ["signIn.deleteSingleSignOn", (j) => j.signIn.deleteSingleSignOn(), "DELETE /account/sso"],
];
