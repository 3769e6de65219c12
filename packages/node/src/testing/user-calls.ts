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
  ["listUsers", (j) => j.listUsers({ limit: 10 }), "GET /users?limit=10"],
  [
    "createUser",
    (j) =>
      j.createUser({
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
    "updateUser",
    (j) => j.updateUser("u", { disabled: true }),
    "PATCH /users/u",
    { disabled: true },
  ],
  ["deleteUser", (j) => j.deleteUser("u"), "DELETE /users/u"],
  ["createUserLink", (j) => j.createUserLink("u"), "POST /users/u/link"],
  ["listAccounts", (j) => j.listAccounts({ limit: 10 }), "GET /accounts?limit=10"],
  [
    "createAccount",
    (j) => j.createAccount({ name: "Acme", rate_limit_per_minute: 100 }),
    "POST /accounts",
    { name: "Acme", rate_limit_per_minute: 100 },
  ],
  [
    "updateAccount",
    (j) => j.updateAccount("a", { name: "Acme Ltd" }),
    "PATCH /accounts/a",
    { name: "Acme Ltd" },
  ],
  ["deleteUserTotp", (j) => j.deleteUserTotp("u"), "DELETE /users/u/totp"],
  ["getSignInRules", (j) => j.getSignInRules(), "GET /account/sign-in-rules"],
  [
    "setSignInRules",
    (j) => j.setSignInRules({ second_factor_roles: ["owner"] }),
    "PUT /account/sign-in-rules",
    { second_factor_roles: ["owner"] },
  ],
  ["getSingleSignOn", (j) => j.getSingleSignOn(), "GET /account/sso"],
  ["setSingleSignOn", (j) => j.setSingleSignOn(singleSignOn), "PUT /account/sso", singleSignOn],
  ["deleteSingleSignOn", (j) => j.deleteSingleSignOn(), "DELETE /account/sso"],
];
