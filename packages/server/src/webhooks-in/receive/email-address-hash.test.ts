import { getProvider, renderOptional } from "@jackfield/catalogue";
import { expect, test } from "vitest";
import { emailAddressHash } from "./email-address-hash.ts";

test.each([
  ["google-mail", { emailAddress: "Ana@Example.com" }],
  ["google-calendar", { id: "Ana@Example.com" }],
])("%s keeps the hash by which its notifications are matched", (id, answer) => {
  const [step] = getProvider(id)?.after_connect ?? [];
  const saved = step?.save["emailAddressHash"];
  if (typeof saved !== "object" || !("text" in saved)) throw new Error("nothing is saved");

  const hash = renderOptional(saved.text, { answer });

  expect(hash).toBe(emailAddressHash(" ana@example.com"));
});
