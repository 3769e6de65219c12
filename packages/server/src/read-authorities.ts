import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { messageOf } from "#foundation";

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM bundle, one by one; throws what its operator has to know. */
export function readAuthorities(path: string): readonly string[] {
  const found = readText(path).match(certificate) ?? [];
  if (found.length === 0) throw new Error(`names ${path}, which holds no certificate in PEM form`);
  for (const [index, pem] of found.entries()) requireCertificate(path, pem, index + 1);
  return found;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    throw new Error(`names a file that cannot be read: ${messageOf(error)}`);
  }
}

function requireCertificate(path: string, pem: string, position: number): void {
  try {
    new X509Certificate(pem);
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`names ${path}, whose certificate number ${position} is damaged: ${reason}`);
  }
}
