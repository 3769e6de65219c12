import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closeBrowser, startVisit } from "../connect-ui/browser.ts";
import { OWNER, type PeopleUnderTest, startPeople } from "./people-under-test.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let people: PeopleUnderTest;
let origin: string;
beforeAll(async () => {
  people = await startPeople();
  origin = people.url.replace("127.0.0.1", "localhost");
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
});

/** A device with a fingerprint reader, whose owner always says yes. */
async function addAuthenticator(page: Page): Promise<{ cdp: CDPSession; id: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId: id } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly csrf?: string | undefined;
  readonly body?: unknown;
}

/** A call as a page of the dashboard makes it. */
async function call(page: Page, sent: Sent) {
  return await page.evaluate(async ({ method, path, csrf, body }) => {
    const response = await fetch(path, {
      method,
      headers: {
        ...(csrf === undefined ? {} : { "svc-csrf": csrf }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }, sent);
}

/** Runs in the page, whose types this program does not have. */
async function inPage(page: Page, script: string, given: object): Promise<object> {
  return await page.evaluate(`(async (given) => { ${script} })(${JSON.stringify(given)})`);
}

async function makePasskey(page: Page, options: object) {
  const script = `
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(given);
    return (await navigator.credentials.create({ publicKey })).toJSON();`;
  return await inPage(page, script, options);
}

async function usePasskey(page: Page) {
  const begun = await call(page, { method: "POST", path: "/auth/passkeys/options" });
  const script = `
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(given);
    return (await navigator.credentials.get({ publicKey })).toJSON();`;
  return await inPage(page, script, begun.body.data);
}

test("an owner adds a passkey, signs in with it, proves who they are, and removes it", async (context) => {
  await using visit = await startVisit(context);
  const { page } = visit;
  await page.goto(`${origin}/health`);
  const { cdp, id: authenticatorId } = await addAuthenticator(page);
  const setup = { token: people.setupToken, ...OWNER };
  const claimed = await call(page, { method: "POST", path: "/auth/setup", body: setup });
  const csrf = claimed.body.data.csrf_token;

  const options = await call(page, { method: "POST", path: "/me/passkeys/options", csrf });
  const made = await makePasskey(page, options.body.data);
  const body = { name: "Laptop", passkey: made };
  const added = await call(page, { method: "POST", path: "/me/passkeys", csrf, body });
  const twice = await call(page, { method: "POST", path: "/me/passkeys", csrf, body });
  await call(page, { method: "POST", path: "/auth/sign-out" });
  const signedOut = await call(page, { method: "GET", path: "/me" });
  const passkey = await usePasskey(page);
  const signedIn = await call(page, { method: "POST", path: "/auth/passkeys", body: { passkey } });
  const replayed = await call(page, { method: "POST", path: "/auth/passkeys", body: { passkey } });
  const second = signedIn.body.data.csrf_token;
  const proof = await usePasskey(page);
  const elevated = await call(page, {
    method: "POST",
    path: "/me/elevate",
    csrf: second,
    body: { passkey: proof },
  });
  const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });

  expect(added.body.data).toMatchObject({ name: "Laptop" });
  expect([twice.status, twice.body.error.code]).toEqual([400, "passkey_refused"]);
  expect(signedOut.status).toBe(401);
  expect(signedIn.body.data.user.ways).toEqual(["password", "passkey"]);
  expect([replayed.status, replayed.body.error.code]).toEqual([401, "sign_in_failed"]);
  expect(elevated.status).toBe(200);
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: "localhost" }]);
  const listed = await call(page, { method: "GET", path: "/me/passkeys" });
  const removed = await call(page, {
    method: "DELETE",
    path: `/me/passkeys/${added.body.data.id}`,
    csrf: elevated.body.data.csrf_token,
  });
  const gone = await call(page, {
    method: "POST",
    path: "/auth/passkeys",
    body: { passkey: await usePasskey(page) },
  });
  expect(listed.status).toBe(401);
  expect([removed.status, gone.status]).toEqual([204, 401]);
});

test("a passkey of another address, of another challenge, or with a lower counter is refused", async (context) => {
  await using visit = await startVisit(context);
  const { page } = visit;
  const { email, password } = OWNER;
  await page.goto(`${origin}/health`);
  await addAuthenticator(page);
  const signedIn = await call(page, {
    method: "POST",
    path: "/auth/password",
    body: { email, password },
  });
  const csrf = signedIn.body.data.csrf_token;
  const options = await call(page, { method: "POST", path: "/me/passkeys/options", csrf });
  const made = await makePasskey(page, options.body.data);
  const body = { name: "Phone", passkey: made };
  await call(page, { method: "POST", path: "/me/passkeys", csrf, body });
  const signIn = async (passkey: object) =>
    (await call(page, { method: "POST", path: "/auth/passkeys", body: { passkey } })).status;
  const clientDataOf = (change: object, answer: { response: { clientDataJSON: string } }) => {
    const text = Buffer.from(answer.response.clientDataJSON, "base64url").toString();
    const clientDataJSON = Buffer.from(JSON.stringify({ ...JSON.parse(text), ...change }));
    return {
      ...answer,
      response: { ...answer.response, clientDataJSON: clientDataJSON.toString("base64url") },
    };
  };
  const fresh = async () => (await usePasskey(page)) as { response: { clientDataJSON: string } };

  const foreign = await signIn(clientDataOf({ origin: "https://evil.example" }, await fresh()));
  const invented = await signIn(
    clientDataOf({ challenge: Buffer.alloc(56).toString("base64url") }, await fresh()),
  );
  const right = await signIn(await fresh());
  await people.database.pool.query("update passkeys set counter = 1000000");
  const copied = await signIn(await fresh());

  expect([foreign, invented, right, copied]).toEqual([401, 401, 200, 401]);
});
