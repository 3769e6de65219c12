import type { Jackfield } from "../index.ts";

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
];
