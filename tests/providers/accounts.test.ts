import { isDeepStrictEqual } from "node:util";
import { compileTemplate, getProvider, listProviders, type Provider } from "@jackfield/catalogue";
import {
  type FailedStage,
  sampleAccount,
  sampleValues,
  startVendor,
  tryProvider,
} from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  getCachedConnectionForCall,
  readConnectionAccount,
} from "../../packages/server/src/connections/index.ts";
import { type PlatformUnderTest, startPlatform } from "../auth-modes/platform-under-test.ts";
import { revokeDeleted } from "./revoke-deleted.ts";
import { vendorCertificate } from "./vendor-certificate.ts";

// Whose account a connection is, asked as each entry says at a vendor that plays the entry.

const AT_ONCE = 12;

let platform: PlatformUnderTest;

beforeAll(async () => {
  // Nothing listens there: what does not go to the vendor gets no answer.
  platform = await startPlatform("http://127.0.0.1:9", {
    serverUrl: "https://platform.example",
    authorities: [vendorCertificate.certificate],
  });
});
afterAll(async () => await platform[Symbol.asyncDispose]());

let count = 0;

interface Lived {
  readonly failed: readonly FailedStage[];
  /** What the API shows. */
  readonly account: unknown;
  /** Requests that asked for the account alone. */
  readonly asked: number;
}

/** A connection to a vendor that plays the entry, which is asked whose it is. */
async function connect(entry: Provider): Promise<Lived> {
  count += 1;
  await using vendor = await startVendor(entry, {
    consent: "automatic",
    samples: sampleValues(entry),
  });
  const integrationKey = `${entry.id}-${count}`;
  const found: { account?: unknown } = {};
  const failed = await tryProvider(
    {
      ...{ url: platform.url, key: "dev", integrationKey },
      afterDelete: async (connectionId) => await revokeDeleted(platform.ctx, connectionId),
      whileConnected: async (connectionId) => {
        const { ctx } = platform;
        const { connection } = await getCachedConnectionForCall(ctx, {
          integrationKey,
          connectionId,
        });
        await readConnectionAccount(ctx, connection);
        const shown = await platform.call(
          "GET",
          `/connections/${connectionId}?provider_config_key=${integrationKey}`,
        );
        found.account = shown.body.account;
      },
    },
    vendor,
  );
  return { failed, account: found.account, asked: vendor.countPassed("identity") };
}

const nobody = { label: null, email: null, workspace: null };

/** Other requests of the entry at the same address say something else of the same field. */
function sharesAddress({ identity, after_connect: steps }: Provider): boolean {
  return steps.some(({ request }) => request.path?.text === identity?.path?.text);
}

const entries = listProviders().filter(({ identity }) => identity !== undefined);

test("a hundred products say whose account a connection is, each in its own way", async () => {
  const left = entries.filter((entry) => !("installation" in entry) || !entry.installation);
  const faults: string[] = [];
  const work = async () => {
    for (let entry = left.shift(); entry !== undefined; entry = left.shift()) {
      const { failed, account } = await connect(entry);
      const wanted = { ...nobody, ...sampleAccount(entry) };
      const isRight = sharesAddress(entry)
        ? isLike(account, wanted)
        : isDeepStrictEqual(account, wanted);
      const isNamed = typeof Object(account).id === "string";
      if (failed.length > 0 || !isRight || !isNamed)
        faults.push(`${entry.id}: ${JSON.stringify({ failed, account, wanted })}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  expect(faults).toEqual([]);
  expect(new Set(entries.map(({ family }) => family)).size).toBeGreaterThanOrEqual(100);
}, 240_000);

/** Says as much, perhaps in other words. */
function isLike(account: unknown, wanted: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => (Object(account)[name] === null) === (value === null),
  );
}

test.each([
  ["by GraphQL", "linear"],
  ["below the address of a tenant", "zendesk"],
  ["at another host of the vendor's", "google"],
])("a vendor is asked %s", async (_how, id) => {
  const entry = requireEntry(id);
  const { failed, account, asked } = await connect(entry);

  expect(failed).toEqual([]);
  expect(asked).toBe(1);
  expect(account).toEqual({ ...nobody, ...sampleAccount(entry) });
});

test.each([
  ["at another path", "github", { path: compileTemplate("/somebody") }],
  ["for other fields", "linear", { body: { query: compileTemplate("{ me { id } }") } }],
])("a vendor that is asked %s than the entry says does not say", async (_how, id, change) => {
  const entry = requireEntry(id);
  const { account, asked } = await connect({
    ...entry,
    identity: { ...requireIdentity(entry), ...change },
  });

  expect(asked).toBe(0);
  expect(account ?? null).toBeNull();
});

function requireEntry(id: string): Provider {
  const entry = getProvider(id);
  if (entry === undefined) throw new Error(`the catalogue has no ${id}`);
  return entry;
}

function requireIdentity({ identity }: Provider) {
  if (identity === undefined) throw new Error("the entry has no identity");
  return identity;
}
