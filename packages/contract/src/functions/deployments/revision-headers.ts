import * as z from "zod";

const plain = /^[^\p{Cc}]*$/u;

/** Headers by which a deployment says what it was made of; servers that do not know them ignore them. */
export const revisionHeaders = z.looseObject({
  "svc-commit": z
    .string()
    .max(64)
    .regex(/^[0-9a-zA-Z]*$/, "must be the id of a commit")
    .optional()
    .meta({
      description: "Commit of which the functions were built, for the list of deployments.",
      examples: ["9f2c4e1b7a60d3f8c5b2a1908e7d6c5b4a392817"],
    }),
  "svc-branch": z
    .string()
    .max(255)
    .regex(plain, "may not hold control characters")
    .optional()
    .meta({
      description:
        "Branch or tag of that commit, percent-encoded where it has other characters than ASCII.",
      examples: ["main"],
    }),
});
