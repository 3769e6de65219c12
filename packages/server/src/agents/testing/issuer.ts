import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** A customer's own authorization server, as far as it is asked: metadata, keys, and tokens that it signs. */
export interface Issuer extends AsyncDisposable {
  readonly issuer: string;
  sign(
    claims: JWTPayload,
    change?: { key?: CryptoKey | Uint8Array; alg?: string },
  ): Promise<string>;
}

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256", use: "sig" }];
  const server = createServer((request, response) => {
    const document =
      request.url === "/jwks"
        ? { keys }
        : { issuer, jwks_uri: `${issuer}/jwks`, authorization_endpoint: `${issuer}/authorize` };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // It listens on a port, not on a socket file.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    sign: async (claims, { key = privateKey, alg = "ES256" } = {}) =>
      await new SignJWT({ iss: issuer, ...claims })
        .setProtectedHeader({ alg, kid: "1", typ: "at+jwt" })
        .sign(key),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
