import { createHmac, hkdfSync } from "node:crypto";
import * as z from "zod";
import { decrypt, encrypt } from "#foundation";
import type { RecordedAnswer } from "#foundation/http";

/**
 * What protects the answers of one API key: made from the key itself, which the server stores only as a
 * hash, so that nobody without the key reads a recorded answer or learns which Idempotency-Key it has.
 */
export class AnswerSeal {
  readonly #hashKey: Buffer;
  readonly #sealKey: Buffer;

  constructor(apiKey: string) {
    this.#hashKey = derive(apiKey, "hash");
    this.#sealKey = derive(apiKey, "seal");
  }

  hash(purpose: string, parts: readonly string[]): Buffer {
    return createHmac("sha256", this.#hashKey)
      .update(JSON.stringify([purpose, ...parts]))
      .digest();
  }

  seal(keyHash: Buffer, { status, headers, body }: RecordedAnswer): Buffer {
    const head = Buffer.from(JSON.stringify({ status, headers }));
    const size = Buffer.alloc(4);
    size.writeUInt32BE(head.byteLength);
    return encrypt(this.#sealKey, aadOf(keyHash), Buffer.concat([size, head, body]));
  }

  open(keyHash: Buffer, sealed: Buffer): RecordedAnswer {
    const bytes = decrypt(this.#sealKey, aadOf(keyHash), sealed);
    const bodyAt = 4 + bytes.readUInt32BE();
    const head = answerHead.parse(JSON.parse(bytes.toString("utf8", 4, bodyAt)));
    return { ...head, body: bytes.subarray(bodyAt) };
  }
}

const answerHead = z.object({ status: z.number(), headers: z.record(z.string(), z.string()) });

function derive(apiKey: string, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", apiKey, "", `jackfield kept answers: ${use}`, 32));
}

function aadOf(keyHash: Buffer): string {
  return `kept_answers/${keyHash.toString("hex")}`;
}
