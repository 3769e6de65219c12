import { webhookRouters } from "@jackfield/catalogue";
import { afterAll, expect, type TestContext, test } from "vitest";
import {
  casesAToH,
  casesIToZ,
  listRouters,
  otherKeys,
  type RouterCase,
  SECRET,
  type Signer,
  TIME,
  type Trial,
  tryRouter,
} from "../../packages/server/src/webhooks-in/testing/index.ts";
import { requireTool } from "../require-tool.ts";
import { useOpenSsl } from "./openssl.ts";

const cases = [...casesAToH, ...casesIToZ];

let signer: Signer | undefined;
afterAll(() => signer?.[Symbol.dispose]());

function signerOf(context: TestContext): Signer {
  signer ??= useOpenSsl(requireTool("openssl", context));
  return signer;
}

test("each router that proves its sender is tried here, and the catalogue knows all of them", () => {
  const known = listRouters();
  const proving = known.filter(({ isProving }) => isProving).map(({ name }) => name);
  const tried = [...new Set(cases.map(({ router }) => router))];

  expect(tried.toSorted()).toEqual(proving.toSorted());
  expect(Object.fromEntries(known.map(({ name, matchesOn }) => [name, matchesOn]))).toEqual(
    webhookRouters,
  );
});

for (const each of cases) {
  const name = `${each.router}, ${each.header ?? "in the body"}`;

  test(`${name}: what an independent implementation signed is taken and matched`, async (context) => {
    const { request, verify, read } = tryRouter(each, signerOf(context));

    expect(await verify(request)).toBe("verified");
    const [event] = read(request);
    expect(event?.types).toEqual(each.types);
    expect(event?.match).toEqual(each.match);
  });

  test(`${name}: nothing else is`, async (context) => {
    const trial = tryRouter(each, signerOf(context));

    const outcomes = await sendForgeries(each, trial, signerOf(context));

    const refused = expect.stringMatching(/^webhook_(invalid|missing)_signature$/);
    expect(outcomes).not.toEqual({});
    expect(outcomes).toEqual(
      Object.fromEntries(Object.keys(outcomes).map((key) => [key, refused])),
    );
  });

  if (each.header === undefined) continue;

  test(`${name}: without a signature, or with two, nothing breaks`, async (context) => {
    const { request, unsigned, verify } = tryRouter(each, signerOf(context));
    const signature = request.headers[each.header ?? ""] ?? "";

    const missing = await verify(unsigned);
    const doubled = await verify(signed(each, request, `${signature}, ${signature}`));

    expect(missing).toBe("webhook_missing_signature");
    expect(["verified", "webhook_invalid_signature"]).toContain(doubled);
  });
}

type Sent = Trial["request"];

function signed({ header }: RouterCase, request: Sent, signature: string): Sent {
  if (header === undefined) return request;
  return { ...request, headers: { ...request.headers, [header]: signature } };
}

/** Requests with one fault each, and what came of them. */
async function sendForgeries(
  each: RouterCase,
  { request, unsigned, verify, keys }: Trial,
  tools: Signer,
): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {};
  if (each.isVendorsKey !== true) {
    outcomes["another secret"] = await verify(request, otherKeys(keys));
  }
  if (each.isToken !== true) {
    outcomes["another body"] = await verify({ ...request, body: changed(request) });
  }
  if (each.isTimed === true) {
    const before = new Date(TIME.getTime() - 2 * 3_600_000);
    const headers = { ...unsigned.headers, ...each.sign(unsigned, before, tools) };
    outcomes["stale"] = await verify({ ...request, headers });
  }
  if (each.header === undefined) return outcomes;
  const signature = request.headers[each.header] ?? "";
  const faults = {
    truncated: signature.slice(0, -1),
    empty: "",
    "no encoding": "\u00e4 no signature %",
    longer: `${signature}0`,
  };
  for (const [fault, text] of Object.entries(faults)) {
    outcomes[fault] = await verify(signed(each, request, text));
  }
  return outcomes;
}

/** One letter is another, of the secret where it is in the body. */
function changed({ body }: Sent): Buffer {
  const text = body.toString();
  const at = text.includes(SECRET) ? text.indexOf(SECRET) : text.length - 4;
  const letter = text[at] === "x" ? "y" : "x";
  return Buffer.from(text.slice(0, at) + letter + text.slice(at + 1));
}
