import * as z from "zod";

/** Credentials that leave out `type`. A provider has one `auth_mode`, so the server knows which fields they have. */
export const credentialsWithoutType = z
  .looseObject({
    type: z
      .undefined()
      .optional()
      .meta({ description: "Absent: the server uses the provider's `auth_mode`.", not: {} }),
  })
  .meta({
    id: "CredentialsWithoutType",
    description: "The same fields without `type`: the server uses the provider's `auth_mode`.",
  });
