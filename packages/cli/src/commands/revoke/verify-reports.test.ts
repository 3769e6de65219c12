import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, test } from "vitest";
import { verifyReports } from "./verify-reports.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const stranger = generateKeyPairSync("ed25519");

function keyOf(key: KeyObject) {
  return { ...key.export({ format: "jwk" }), kid: "own" };
}

function report(facts: object, key: KeyObject = privateKey): string {
  const parts = [{ alg: "EdDSA", kid: "own" }, facts].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const signature = sign(null, Buffer.from(parts.join(".")), key).toString("base64url");
  return [...parts, signature].join(".");
}

const connections = [1, 2].map((id) => ({
  ...{ id, state: "withdrawn" },
  report: report({ connection: { id }, state: "withdrawn" }),
}));
const reportsSha256 = createHash("sha256")
  .update(connections.map((each) => `${each.report}\n`).join(""))
  .digest("hex");
const whole = {
  revocation: { report: report({ reports_sha256: reportsSha256 }) },
  connections,
  keys: [keyOf(publicKey)],
};

test("a whole report is genuine, also by a key that was stored before", () => {
  const trusted = JSON.stringify({ keys: whole.keys });

  expect(verifyReports(JSON.stringify(whole))).toEqual({ connections: 2, summary: true });
  expect(verifyReports(JSON.stringify(whole), trusted)).toEqual({ connections: 2, summary: true });
});

const [first, second] = connections;
const [head, , signature] = (first?.report ?? "").split(".");
const forged = Buffer.from('{"connection":{"id":1},"state":"withdrawn"}').toString("base64url");

test.each([
  [
    "a report was changed",
    { connections: [{ ...first, report: `${head}.${forged}A.${signature}` }] },
  ],
  ["one is missing", { connections: [second] }],
  ["a state is another one", { connections: [{ ...first, state: "failed" }, second] }],
  ["reports changed places", { connections: [{ ...first, report: second?.report }, second] }],
  ["another key is in the file", { keys: [keyOf(stranger.publicKey)] }],
  ["a stranger signed it", { revocation: { report: report({}, stranger.privateKey) } }],
])("it is refused when %s", (_title, change) => {
  expect(() => verifyReports(JSON.stringify({ ...whole, ...change }))).toThrow(/report/);
});

test("a retired key verifies what it signed before, and nothing later", () => {
  const at = "2026-06-01T00:00:00.000Z";
  const signedAt = (time: string) => {
    const iat = Date.parse(time) / 1000;
    const reports_sha256 = createHash("sha256").digest("hex");
    const file = { revocation: { report: report({ reports_sha256, iat }) }, connections: [] };
    return JSON.stringify({ ...file, keys: [{ ...keyOf(publicKey), retired_at: at }] });
  };

  expect(verifyReports(signedAt("2026-05-31T00:00:00Z"))).toEqual({
    connections: 0,
    summary: true,
  });
  expect(() => verifyReports(signedAt("2026-06-02T00:00:00Z"))).toThrow(/retired/);
});

test("a stored key refuses a file that brings its own", () => {
  const trusted = JSON.stringify({ keys: [keyOf(stranger.publicKey)] });

  expect(() => verifyReports(JSON.stringify(whole), trusted)).toThrow(/changed/);
});
