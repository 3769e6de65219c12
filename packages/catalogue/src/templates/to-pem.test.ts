import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { toPem } from "./to-pem.ts";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

test.each([
  ["as it was made", privateKey],
  ["on one line", privateKey.replaceAll("\n", "")],
  ["with spaces for its breaks", privateKey.replaceAll("\n", " ")],
  ["with written breaks", privateKey.replaceAll("\n", "\\n")],
  ["with written breaks of Windows", privateKey.replaceAll("\n", "\\r\\n")],
  ["with breaks of Windows", privateKey.replaceAll("\n", "\r\n")],
  ["indented", privateKey.replaceAll("\n", "\n    ")],
])("a key %s is read", (_how, text) => {
  expect(toPem(text)).toBe(privateKey.trim());
  expect(createPrivateKey(toPem(text)).asymmetricKeyType).toBe("rsa");
});

test("each block of a chain is put right, and what is none stays as it is", () => {
  const chain = `${privateKey.replaceAll("\n", "")}${privateKey.replaceAll("\n", " ")}`;
  const encrypted =
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----";

  expect(toPem(chain)).toBe(`${privateKey}${privateKey}`.trim());
  expect(toPem(encrypted)).toBe(encrypted);
  expect(toPem(" no key ")).toBe("no key");
});
