import { afterAll, expect, type TestContext, test } from "vitest";
import {
  casesAToH,
  casesIToZ,
  type RouterCase,
  SECRET,
  type Signer,
  type Trial,
  tryRouter,
} from "../../packages/server/src/webhooks-in/testing/index.ts";
import { requireTool } from "../require-tool.ts";
import { extendSha1 } from "./forging/extend-hash.ts";
import {
  changeBody,
  type Forgeries,
  renameHeader,
  respellSignature,
  type Sent,
  shiftTime,
  substituteSignature,
} from "./forging/forge-signatures.ts";
import { forgeTokens } from "./forging/forge-tokens.ts";
import { useOpenSsl } from "./openssl.ts";

const cases = [...casesAToH, ...casesIToZ];
const tally = { cases: 0, routers: new Set<string>() };

let signer: Signer | undefined;
afterAll(() => {
  signer?.[Symbol.dispose]();
  process.stdout.write(
    `\nforged signatures: ${tally.cases} cases over ${tally.routers.size} routers\n`,
  );
});

function signerOf(context: TestContext): Signer {
  signer ??= useOpenSsl(requireTool("openssl", context));
  return signer;
}

const REFUSED = /^(webhook_(invalid|missing)_(signature|secret)|unreadable)$/;

async function outcomeOf(trial: Trial, sent: Sent, keys?: Trial["keys"]): Promise<string> {
  return await trial.verify(sent, keys).catch((error: unknown) => {
    if (error instanceof Error && error.constructor.name === "UnreadableWebhook") {
      return "unreadable";
    }
    throw error;
  });
}

/** What was taken although it ought to be refused. */
async function listTaken(each: RouterCase, trial: Trial, forgeries: Forgeries): Promise<string[]> {
  const taken: string[] = [];
  for (const [fault, sent] of Object.entries(forgeries)) {
    tally.cases += 1;
    const outcome = await outcomeOf(trial, sent);
    if (!REFUSED.test(outcome) && !isSameContent(each, trial.request, sent)) {
      taken.push(`${fault}: ${outcome}`);
    }
  }
  tally.routers.add(each.router);
  return taken;
}

/** The vendor signs the fields of a form, not its bytes: these are the same fields under the same signature. */
function isSameContent(each: RouterCase, genuine: Sent, sent: Sent): boolean {
  const text = (value: unknown) => JSON.stringify(value);
  if (each.router !== "twilio" || text(genuine.headers) !== text(sent.headers)) return false;
  const fields = ({ body }: Sent) => [...new URLSearchParams(body.toString())].toSorted();
  return text(fields(genuine)) === text(fields(sent));
}

for (const each of cases) {
  const name = `${each.router}, ${each.header ?? "in the body"}`;

  test(`${name}: no forged signature is taken`, async (context) => {
    const tools = signerOf(context);
    const trial = tryRouter(each, tools);
    const { request, unsigned } = trial;
    expect(await trial.verify(request)).toBe("verified");

    const taken = [
      ...(await listTaken(each, trial, respellSignature(each, request))),
      ...(await listTaken(each, trial, substituteSignature(each, request))),
      ...(await listTaken(each, trial, changeBody(each, request))),
      ...(await listTaken(each, trial, renameHeader(each, request))),
      ...(await listTaken(each, trial, forgeTokens(each, request, tools))),
      ...(await listTaken(
        each,
        trial,
        shiftTime(each, trial, (at) => each.sign(unsigned, at, tools)),
      )),
    ];

    expect(taken).toEqual([]);
  });

  if (each.isVendorsKey === true) continue;

  test(`${name}: another integration's secret, or a part of the right one, proves nothing`, async (context) => {
    const trial = tryRouter(each, signerOf(context));
    const taken: string[] = [];
    for (const [fault, change] of Object.entries(otherSecrets)) {
      // Digits of a public key, whose capitals mean nothing.
      if (each.router === "discord" && fault === "in other capitals") continue;
      tally.cases += 1;
      const outcome = await outcomeOf(trial, trial.request, changeKeys(trial.keys, change));
      if (!REFUSED.test(outcome)) taken.push(`${fault}: ${outcome}`);
    }

    expect(taken).toEqual([]);
  });
}

const otherSecrets: Readonly<Record<string, (secret: string) => string>> = {
  "of another integration": () => "the secret of another integration",
  "of another environment": (secret) => rotate(secret),
  "its first half": (secret) => secret.slice(0, Math.floor(secret.length / 2)),
  "its last half": (secret) => secret.slice(Math.floor(secret.length / 2)),
  "in other capitals": (secret) => swapCase(secret),
  reversed: (secret) => [...secret].toReversed().join(""),
  "the name of a member": () => "constructor",
  "no key at all": () => "!",
};

/** Each letter is another. */
function rotate(text: string): string {
  return text.replaceAll(/[a-y]/gi, (mark) => String.fromCharCode(mark.charCodeAt(0) + 1));
}

function swapCase(text: string): string {
  return [...text]
    .map((mark) => (mark === mark.toUpperCase() ? mark.toLowerCase() : mark.toUpperCase()))
    .join("");
}

function changeKeys(keys: Trial["keys"], change: (secret: string) => string): Trial["keys"] {
  const changed = (text: string | undefined) => (text === undefined ? undefined : change(text));
  return {
    ...keys,
    webhookSecret: changed(keys.webhookSecret),
    clientSecret: changed(keys.clientSecret),
    connectionSecret: changed(keys.connectionSecret),
  };
}

test("microsoft, in the body: each notification has to carry the secret itself", async (context) => {
  const each = cases.find(({ router }) => router === "microsoft");
  if (each === undefined) throw new Error("there is no case");
  const trial = tryRouter(each, signerOf(context));
  const state = (clientState: unknown) => ({ changeType: "created", clientState });
  const values: unknown[] = [
    [state(SECRET), state("x")],
    [state(SECRET), {}],
    [{}, state(SECRET)],
    [state([SECRET])],
    [state({ 0: SECRET })],
    [state(SECRET.slice(0, -1))],
    [state(`${SECRET} `)],
    [state(SECRET.toUpperCase())],
    [state(null)],
    [state(true)],
    [state("")],
    [],
    {},
    SECRET,
    null,
    [SECRET],
    [[state(SECRET)]],
    [JSON.parse(`{"__proto__":{"clientState":"${SECRET}"}}`)],
  ];
  const forgeries = Object.fromEntries(
    values.map((value, index) => {
      const body = Buffer.from(JSON.stringify({ value, clientState: SECRET }));
      return [`value ${index}`, { ...trial.request, body }];
    }),
  );

  expect(await listTaken(each, trial, forgeries)).toEqual([]);
});

test("sellsy, whose hash can be lengthened: what follows the vendor's body is never read", async (context) => {
  const trials = ['{"corpid":"7","event":"created"}', "notif=%7B%22corpid%22%3A%227%22%7D"];
  for (const body of trials) {
    const each = cases.find(({ router }) => router === "sellsy");
    if (each === undefined) throw new Error("there is no case");
    const trial = tryRouter({ ...each, body }, signerOf(context));
    const suffix = Buffer.from('&notif={"corpid":"forged"}&notif={"corpid":"forged"}');
    const secretBytes = Buffer.byteLength(SECRET);
    const message = Buffer.from(body);
    const genuine = Buffer.from(trial.request.headers["x-webhook-signature"] ?? "", "hex");
    const { message: longer, hash } = extendSha1(genuine, { message, secretBytes, suffix });
    const headers = { ...trial.request.headers, "x-webhook-signature": hash.toString("hex") };
    tally.cases += 1;

    // The weakness is the vendor's: the signature holds, and must not help.
    expect(await trial.verify({ ...trial.request, body: longer, headers })).toBe("verified");
    expect(() => trial.read({ ...trial.request, body: longer, headers })).toThrow("JSON");
  }
});
