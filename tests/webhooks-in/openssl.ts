import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Signer } from "../../packages/server/src/webhooks-in/testing/index.ts";

/** Signatures by the openssl program. */
export function useOpenSsl(program: string): Signer {
  const folder = mkdtempSync(join(tmpdir(), "jackfield-openssl-"));
  const run = (args: readonly string[], input: string | Buffer = "") =>
    execFileSync(program, [...args], { input, cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
  run(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "rsa.pem"]);
  run(["genpkey", "-algorithm", "ed25519", "-out", "ed.pem"]);
  const modulus = run(["rsa", "-in", "rsa.pem", "-noout", "-modulus"]).toString();
  return {
    hmac: (algorithm, key, content) => {
      const hex = Buffer.from(key).toString("hex");
      return run(
        ["dgst", `-${algorithm}`, "-mac", "HMAC", "-macopt", `hexkey:${hex}`, "-binary"],
        content,
      );
    },
    digest: (algorithm, content) => run(["dgst", `-${algorithm}`, "-binary"], content),
    rsaSign: (content) => run(["dgst", "-sha256", "-sign", "rsa.pem", "-binary"], content),
    rsaPublicKey: run(["pkey", "-in", "rsa.pem", "-pubout"]).toString(),
    rsaModulus: Buffer.from(modulus.trim().replace("Modulus=", ""), "hex"),
    edSign: (content) => {
      writeFileSync(join(folder, "content"), content);
      return run(["pkeyutl", "-sign", "-inkey", "ed.pem", "-rawin", "-in", "content"]);
    },
    edPublicKey: run(["pkey", "-in", "ed.pem", "-pubout", "-outform", "DER"]).subarray(-32),
    edPublicKeyPem: run(["pkey", "-in", "ed.pem", "-pubout"]).toString(),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
