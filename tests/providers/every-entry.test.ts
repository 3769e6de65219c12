import { once } from "node:events";
import { createServer } from "node:http";
import {
  compileTemplate,
  getProvider,
  listProviders,
  literalTemplate,
  type Provider,
} from "@jackfield/catalogue";
import { type FailedStage, sampleValues, startVendor, tryProvider } from "@jackfield/simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { certificates } from "../../packages/server/src/auth-modes/testing/certificates.ts";
import { type PlatformUnderTest, startPlatform } from "../auth-modes/platform-under-test.ts";
import { findPagingFault } from "./find-paging-fault.ts";
import { revokeDeleted } from "./revoke-deleted.ts";
import { vendorCertificate } from "./vendor-certificate.ts";

// So many lives at once: most of a life is waiting for the server's answers.
const AT_ONCE = 12;

const leaks: string[] = [];
const elsewhere = createServer((request, response) => {
  leaks.push(`${request.headers.host}${request.url}`);
  response.writeHead(500).end();
});
let platform: PlatformUnderTest;

beforeAll(async () => {
  elsewhere.listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
  const address = elsewhere.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  platform = await startPlatform(`http://127.0.0.1:${port}`, {
    serverUrl: "https://platform.example",
    authorities: [vendorCertificate.certificate],
  });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  elsewhere.close();
});

const tls = {
  ...vendorCertificate,
  clientAuthority: certificates.authority,
};

function showsCertificate(entry: Provider): boolean {
  return "token_auth_method" in entry && entry.token_auth_method.text.startsWith("tls_client");
}

/** Certificates of clients come from an authority, so that they cannot be made up. */
function certified(entry: Provider, options: SampleOptions) {
  const { credentials } = sampleValues(entry, options);
  const { clientCertificate, clientKey } = certificates;
  const own = { client_certificate: clientCertificate, client_private_key: clientKey };
  return { credentials: { ...credentials, ...own } };
}

let count = 0;

type SampleOptions = NonNullable<Parameters<typeof sampleValues>[1]>;

/** The life of a connection of the catalogue's provider, at a vendor that plays the given entry. */
async function live(entry: Provider, options: SampleOptions = {}): Promise<FailedStage[]> {
  count += 1;
  const samples = sampleValues(entry, options);
  await using vendor = await startVendor(entry, {
    consent: "automatic",
    samples,
    ...(showsCertificate(entry)
      ? { tls, samples: { ...samples, ...certified(entry, options) } }
      : {}),
  });
  const integrationKey = `${entry.id}-${count}`;
  const paged: FailedStage[] = [];
  const failed = await tryProvider(
    {
      url: platform.url,
      key: "dev",
      integrationKey,
      afterDelete: async (connectionId) => await revokeDeleted(platform.ctx, connectionId),
      whileConnected: async (connectionId) => {
        const message = await findPagingFault(platform.ctx, entry, {
          integrationKey,
          connectionId,
        });
        if (message !== undefined) paged.push({ stage: "paginate", message });
      },
    },
    vendor,
  );
  return [...failed, ...paged];
}

/** What went wrong, a line for each. */
async function liveAll(
  entries: readonly Provider[],
  options: SampleOptions = {},
): Promise<string[]> {
  const left = [...entries];
  const faults: string[] = [];
  const work = async () => {
    for (let entry = left.shift(); entry !== undefined; entry = left.shift()) {
      const { id, auth_mode: mode } = entry;
      for (const { stage, message } of await live(entry, options)) {
        faults.push(`${id} (${mode}), ${stage}: ${message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return faults.toSorted();
}

test("every provider connects, verifies, calls, pages, refreshes and withdraws", async () => {
  // An installation that begins at the vendor has no browser to send: packages/server/src/connect/outbound.test.ts.
  const entries = listProviders().filter(
    (entry) => !("installation" in entry) || !entry.installation,
  );

  const faults = await liveAll(entries);

  expect(faults).toEqual([]);
  expect(leaks).toEqual([]);
  expect(entries.length).toBeGreaterThanOrEqual(450);
}, 240_000);

test("what is optional may be left out", async () => {
  const entries = listProviders().filter((entry) => {
    // Without one there is nowhere to call.
    if (entry.base_url?.some(({ text }) => text === "{{integration.base_url}}")) return false;
    const groups = [entry.integration_config, entry.connection_config, entry.credentials];
    return groups.some((fields) => Object.values(fields).some(({ optional }) => optional));
  });

  const faults = await liveAll(entries, { withOptional: false });

  expect(faults).toEqual([]);
  expect(entries.length).toBeGreaterThanOrEqual(20);
}, 60_000);

const literal = literalTemplate;

/** Vendors that want something else than the catalogue says, by what is different. */
const different: Record<string, { id: string; change: object; stage: string; message: RegExp }> = {
  "the client authenticates otherwise": {
    id: "github",
    change: { token_auth_method: literal("client_secret_basic") },
    stage: "token",
    message: /client authentication: no Authorization header of Basic/,
  },
  "the client authenticates in the body": {
    id: "notion",
    change: { token_auth_method: literal("client_secret_post") },
    stage: "token",
    message: /an Authorization header is sent/,
  },
  "PKCE is refused": {
    id: "github",
    change: { pkce: literal("none") },
    stage: "authorize",
    message: /code_challenge is sent/,
  },
  "PKCE is required": {
    id: "shopify",
    change: { pkce: literal("s256") },
    stage: "authorize",
    message: /code_challenge(_method)? is (missing|empty)/,
  },
  "scopes are joined otherwise": {
    id: "slack",
    change: { scope_separator: literal(" ") },
    stage: "authorize",
    message: /joined otherwise/,
  },
  "a parameter has another name": {
    id: "github",
    change: { authorization_rename: { client_id: "app_id" } },
    stage: "authorize",
    message: /app_id is no client/,
  },
  "the token request is JSON": {
    id: "github",
    change: { body_format: "json" },
    stage: "token",
    message: /missing|not the client's/,
  },
  "the refresh goes elsewhere": {
    id: "hubspot",
    change: { refresh_url: [literal("https://api.hubapi.com/other/refresh")] },
    stage: "refresh",
    message: /the request went to .*instead of/,
  },
  "the key is in another header": {
    id: "openai",
    change: {
      api_key: [
        {
          placement: literal("header"),
          name: literal("x-key"),
          value: compileTemplate("{{credentials.apiKey}}"),
        },
      ],
    },
    stage: "verify",
    message: /x-key is/,
  },
  "the signature is of another kind": {
    id: "trello",
    change: { signature_method: "HMAC-SHA256" },
    stage: "authorize",
    message: /not signed by HMAC-SHA256/,
  },
  "the token is in the query": {
    id: "linear",
    change: {
      inject: {
        headers: {},
        query: { token: compileTemplate("{{credentials.access_token}}") },
        body: {},
      },
    },
    stage: "after_connect",
    message: /token is missing|Authorization header is sent/,
  },
  "the answer wraps the token": {
    id: "github",
    change: { token_response: { ...shapeOf("github"), root: "result" } },
    stage: "token",
    message: /token_request_failed/,
  },
};

function shapeOf(id: string) {
  const entry = getProvider(id);
  return entry !== undefined && "token_response" in entry ? entry.token_response : {};
}

test.each(Object.entries(different))(
  "a vendor is noticed where %s",
  async (_what, { id, change, stage, message }) => {
    const entry = getProvider(id);
    const [fault] = await live(asProvider({ ...entry, ...change }));

    expect(fault).toEqual({ stage, message: expect.stringMatching(message) });
  },
);

// An entry of the catalogue with one fact changed for another of its kind.
function asProvider(entry: object): Provider {
  return entry as Provider;
}
