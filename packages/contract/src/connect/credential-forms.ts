import * as z from "zod";

/** Credentials as an end user types them. */

const text = z.string().min(1, "must not be empty");

/** Of a field that the provider's entry names. */
export const entryField = z.string().max(32_768);

/** The route says of which type its credentials are, so the body need not. */
function typed<const Type extends string>(type: Type) {
  return z
    .literal(type)
    .default(type)
    .describe("Type of the credentials; the route says it, so it may be omitted.");
}

/** Credentials that an end user types, by the type that they make. */
export const credentialForms = {
  OAUTH2_CC: z
    .object({
      type: typed("OAUTH2_CC"),
      client_id: text.max(255).describe("Id of the OAuth client."),
      client_secret: z
        .string()
        .max(2048)
        .optional()
        .describe("Secret of the client; required without `client_private_key`."),
      client_private_key: z
        .string()
        .max(10_000)
        .optional()
        .describe("Private key in PEM with which the client signs instead of sending a secret."),
      client_certificate: z
        .string()
        .max(10_000)
        .optional()
        .describe("Certificate of the private key, in PEM."),
    })
    .catchall(entryField)
    .refine((body) => Boolean(body.client_secret || body.client_private_key), {
      message: "is missing: send it, or a client_private_key",
      path: ["client_secret"],
    })
    .meta({
      id: "ClientCredentialsForm",
      description: "An OAuth client of the end user, with what else the provider's entry asks for.",
    }),
  API_KEY: z
    .object({
      type: typed("API_KEY"),
      apiKey: z
        .string()
        .trim()
        .min(1, "must not be empty")
        .max(1024)
        .describe("The API key, 1 to 1,024 characters; spaces around it are removed."),
    })
    .catchall(entryField)
    .meta({
      id: "ApiKeyForm",
      description: "An API key, with what else the provider's entry asks for.",
    }),
  BASIC: z
    .object({
      type: typed("BASIC"),
      username: z
        .string()
        .max(1024)
        .describe("User name, or what the provider takes in its place; may be empty."),
      password: z
        .string()
        .max(1024)
        .describe("Password; may be empty where the provider wants the user name only."),
    })
    .catchall(entryField)
    .meta({
      id: "BasicForm",
      description: "A user name and password, with what else the provider's entry asks for.",
    }),
  TBA: z
    .strictObject({
      type: typed("TBA"),
      token_id: text.max(2048).describe("Id of the access token."),
      token_secret: text.max(2048).describe("Secret of the access token."),
      oauth_client_id_override: z
        .string()
        .max(255)
        .optional()
        .describe(
          "Id of an OAuth client of the end user's own, used instead of the integration's.",
        ),
      oauth_client_secret_override: z
        .string()
        .max(2048)
        .optional()
        .describe("Secret of that client; stored encrypted."),
    })
    .meta({ id: "TbaForm", description: "An access token with its secret." }),
  JWT: z
    .object({ type: typed("JWT") })
    .catchall(entryField)
    .meta({
      id: "JwtForm",
      description:
        "A signing key and what its tokens say, in the fields that the provider's entry asks for.",
    }),
  TWO_STEP: z
    .object({ type: typed("TWO_STEP") })
    .catchall(z.union([entryField, z.record(z.string().min(1).max(255), entryField)]))
    .meta({
      id: "TwoStepForm",
      description:
        "What the provider exchanges for a token, in the fields that its entry asks for.",
    }),
  SIGNATURE: z
    .strictObject({
      type: typed("SIGNATURE"),
      username: text.max(1024).describe("User name at the provider."),
      password: text
        .max(1024)
        .describe("Password, from which the signature is made; it is not sent."),
    })
    .meta({ id: "SignatureForm", description: "A user name and password that sign a token." }),
  BILL: z
    .strictObject({
      type: typed("BILL"),
      username: text.max(1024).describe("User name at the provider."),
      password: text.max(1024).describe("Password of that user."),
      organization_id: text.max(255).describe("Id of the organization at the provider."),
      dev_key: text.max(1024).describe("Developer key at the provider."),
    })
    .meta({ id: "BillForm", description: "A login with an organization and a developer key." }),
  AWS_SIGV4: z
    .strictObject({
      type: typed("AWS_SIGV4"),
      role_arn: text.max(2048).meta({
        description: "ARN of the role to assume.",
        examples: ["arn:aws:iam::123456789012:role/jackfield"],
      }),
      region: z
        .string()
        .max(64)
        .regex(/^[a-z0-9-]+$/, "may hold lower-case letters, digits and - only")
        .optional()
        .meta({
          description: "Region of the services to call. Default: the integration's.",
          examples: ["eu-central-1"],
        }),
    })
    .meta({ id: "AwsRoleForm", description: "A role of an AWS account." }),
  NONE: z
    .strictObject({ type: typed("NONE") })
    .meta({ id: "NoCredentialsForm", description: "Nothing: the provider needs no credentials." }),
} as const;
