// Makes and sends requests in a thread of its own, so that the main one, where the server runs, pays for nothing else.
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { parentPort } from "node:worker_threads";
import { type Asked, makeBody } from "./shapes.ts";

export interface Errand {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Asked | { readonly text: string } | { readonly file: string };
}

export interface Outcome {
  readonly status: number;
  /** Of the answer's body. */
  readonly answerBytes: number;
  readonly sentBytes: number;
  readonly begin: string;
}

parentPort?.on("message", (errand: Errand) => {
  run(errand).then(
    (outcome) => parentPort?.postMessage(outcome),
    (error: unknown) => parentPort?.postMessage({ ...failed, begin: String(error) }),
  );
});

const failed: Outcome = { status: 0, answerBytes: 0, sentBytes: 0, begin: "" };

async function run({ url, method, headers, body }: Errand): Promise<Outcome> {
  const bytes = await readBody(body);
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const outgoing = request(url, {
    method,
    agent: false,
    headers: { ...headers, ...(body === undefined ? {} : { "content-length": bytes.length }) },
  });
  outgoing.on("response", (response) => {
    let answerBytes = 0;
    let begin = "";
    response.on("data", (chunk: Buffer) => {
      answerBytes += chunk.length;
      if (begin.length < 300) begin += chunk.toString("utf8", 0, 300);
    });
    response.on("end", () => {
      resolve({ status: response.statusCode ?? 0, answerBytes, sentBytes: bytes.length, begin });
      outgoing.destroy();
    });
  });
  outgoing.on("error", reject);
  outgoing.end(bytes);
  return await promise;
}

async function readBody(body: Errand["body"]): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0);
  if ("file" in body) return await readFile(body.file);
  if ("text" in body) return Buffer.from(body.text);
  return Buffer.from(makeBody(body), body.shape === "not UTF-8" ? "latin1" : "utf8");
}
