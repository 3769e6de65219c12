import { expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import {
  ActionError,
  type ConnectionCredentials,
  createAction,
  createOnEvent,
  createSync,
  type Integration,
  type NangoAction,
  type NangoSync,
  type OAuth2Credentials,
  type ProxyConfiguration,
  type SvcAction,
  type SvcSync,
} from "./index.ts";

const contact = z.object({ id: z.string(), email: z.email(), score: z.number().default(0) });
const company = z.object({ id: z.uuid(), name: z.string() });

interface OwnContact {
  id: string;
  email: string;
}

test("methods of WebDAV and a limit as text are taken", () => {
  const call: ProxyConfiguration = { endpoint: "/calendars", method: "PROPFIND", data: "<a/>" };
  const report: ProxyConfiguration = { ...call, method: "report" };
  const paged: ProxyConfiguration = {
    endpoint: "/contacts",
    paginate: { type: "offset", offset_name_in_request: "skip", limit: "100" },
  };
  // @ts-expect-error no such method
  const other: ProxyConfiguration = { ...call, method: "SEARCH" };

  expect([report, paged, other]).toHaveLength(3);
});

test("a sync's models decide what batchSave and batchDelete take", () => {
  const sync = createSync({
    description: "Contacts",
    frequency: "every hour",
    models: { Contact: contact, Company: company },
    metadata: z.object({ region: z.string() }),
    checkpoint: z.object({ page: z.number(), since: z.date(), note: z.string().optional() }),
    exec: async (svc) => {
      await svc.batchSave([{ id: "1", email: "a@example.com" }], "Contact");
      await svc.batchSave(undefined, "Company");
      await svc.batchDelete([{ id: 7 }], "Contact");
      // @ts-expect-error no such model
      await svc.batchSave([], "Contacts");
      const given: OwnContact[] = [{ id: "1", email: "a@example.com" }];
      await svc.batchSave<OwnContact>(given, "Contact");
      await svc.batchSend<OwnContact>(given, "Contact");
      await svc.batchUpdate<Partial<OwnContact>>([{ id: "1" }], "Contact");
      await svc.batchDelete<Pick<OwnContact, "id">>([{ id: "1" }], "Contact");
      // @ts-expect-error no such model
      await svc.batchSave<OwnContact>(given, "Contacts");
      // @ts-expect-error not what the type argument says
      await svc.batchSave<OwnContact>([{ id: "1" }], "Contact");
      // @ts-expect-error a company has no email
      await svc.batchSave([{ id: "1", email: "a@example.com" }], "Company");
      // @ts-expect-error email is missing
      await svc.batchSave([{ id: "1" }], "Contact");
      // @ts-expect-error an id is needed
      await svc.batchDelete([{ email: "a@example.com" }], "Contact");

      expectTypeOf(await svc.getMetadata()).toEqualTypeOf<{ region: string }>();
      expectTypeOf(await svc.getMetadata<{ other: 1 }>()).toEqualTypeOf<{ other: 1 }>();
      await svc.saveCheckpoint({ page: 1, since: new Date() });
      // @ts-expect-error page is a number
      await svc.saveCheckpoint({ page: "1", since: new Date() });
      const checkpoint = await svc.getCheckpoint();
      expectTypeOf(checkpoint?.page).toEqualTypeOf<number | undefined>();
      expectTypeOf(checkpoint?.since).toEqualTypeOf<string | undefined>();
      expectTypeOf(svc.lastSyncDate).toEqualTypeOf<Date | undefined>();
      const page = await svc.paginate({ endpoint: "/contacts", paginate: { limit: 5 } }).next();
      expectTypeOf(page.value).not.toBeNever();
      expectTypeOf(await svc.triggerAction<{ n: number }>("crm", "c1", "add")).toEqualTypeOf<{
        n: number;
      }>();
      await svc.triggerSync("crm", "c1", { name: "contacts", variant: "emea" }, { reset: true });
      // @ts-expect-error no such option
      await svc.triggerSync("crm", "c1", "contacts", { clear: true });
      expectTypeOf(await svc.getIntegration({ include: ["webhook"] })).toEqualTypeOf<Integration>();
      // @ts-expect-error nothing of that name to include
      await svc.getIntegration({ include: ["secrets"] });
      // @ts-expect-error a URL is needed
      await svc.uncontrolledFetch({ method: "GET" });
      // @ts-expect-error there is no way to pause a sync
      svc.pauseSync;
      await svc.get({ endpoint: "/x", retryHeader: { at: "x-reset" }, responseType: "blob" });
      expectTypeOf(svc.tryAcquireLock).returns.toEqualTypeOf<Promise<boolean>>();

      await takesAnySync(svc);
      await takesAnyContext(svc);
      for await (const page of svc.paginate<{ id: string }>({
        endpoint: "/contacts",
        paginate: { type: "offset", offset_name_in_request: "skip" },
      })) {
        expectTypeOf(page).toEqualTypeOf<{ id: string }[]>();
      }
    },
    onWebhook: async (svc, payload) => {
      await svc.batchSave([payload.contact], "Contact");
    },
  });

  expect(sync).toMatchObject({ type: "sync", frequency: "every hour" });
  expectTypeOf<Parameters<(typeof sync)["exec"]>[0]["batchSave"]>().toBeFunction();
});

async function takesAnySync(svc: SvcSync): Promise<void> {
  await svc.batchSave([{ id: "1", anything: true }], "AnyModel");
  // @ts-expect-error a record has an id
  await svc.batchSave([{ anything: true }], "AnyModel");
}

async function takesAnyContext(svc: SvcAction): Promise<void> {
  await svc.log("and any function's context");
}

test("a sync's record model needs a text id", () => {
  const base = { description: "", frequency: "every hour", exec: () => {} };

  // @ts-expect-error no id
  createSync({ ...base, models: { Contact: z.object({ email: z.string() }) } });
  // @ts-expect-error a number is no record id in a schema
  createSync({ ...base, models: { Contact: z.object({ id: z.number() }) } });

  expect(createSync({ ...base, models: {} }).models).toEqual({});
});

test("an action's schemas decide its input and its output", async () => {
  const action = createAction({
    description: "Greets",
    input: z.object({ name: z.string(), polite: z.boolean().default(true) }),
    output: z.object({ text: z.string() }),
    exec: async (svc, input) => {
      expectTypeOf(input).toEqualTypeOf<{ name: string; polite?: boolean | undefined }>();
      await takesAnyContext(svc);
      if (input.name === "") throw new svc.ActionError({ message: "no name" });
      const { data } = await svc.get<{ greeting: string }>({ endpoint: "/greeting" });
      expectTypeOf(data).toEqualTypeOf<{ greeting: string }>();
      // @ts-expect-error actions write no records
      svc.batchSave;
      return { text: data.greeting };
    },
  });
  createAction({
    description: "",
    input: z.void(),
    output: z.number(),
    // @ts-expect-error the output is a number
    exec: () => "text",
  });

  expect(action.type).toBe("action");
});

test("an on-event function names one of three events", () => {
  const onEvent = createOnEvent({
    description: "",
    event: "validate-connection",
    exec: async (svc) => takesAnyContext(svc),
  });
  // @ts-expect-error no such event
  createOnEvent({ description: "", event: "post-connection-update", exec: () => {} });

  expect(onEvent.type).toBe("on-event");
});

test("code written for the compatible platform's types needs nothing but another package name", async () => {
  const Ticket = z.object({ id: z.string(), subject: z.string() });
  const Progress = z.object({ page: z.number() });
  const sync = createSync<{ Ticket: typeof Ticket }, undefined, typeof Progress>({
    description: "Tickets",
    frequency: "every hour",
    models: { Ticket },
    checkpoint: Progress,
    exec: async (svc) => {
      const checkpoint = await svc.getCheckpoint();
      expectTypeOf(checkpoint?.page).toEqualTypeOf<number | undefined>();
      // Without a schema the author says what the metadata is.
      const metadata: { team: string } | null = await svc.getMetadata();
      const config: ProxyConfiguration = {
        endpoint: `/tickets/${metadata?.team}`,
        paginate: { type: "link", link_rel_in_response_header: "next" },
        retries: 3,
      };
      for await (const page of svc.paginate(config)) await svc.batchSave(page, "Ticket");
      const response = await svc.get(config);
      const left = Number.parseInt(response.headers["x-left"], 10);
      await svc.uncontrolledFetch({ url: new URL("https://a.test"), body: left > 0 ? "x" : null });
      expectTypeOf(
        await svc.triggerAction<{ name: string }, { id: string }>("crm", "c1", "add", { name: "" }),
      ).toEqualTypeOf<{ id: string }>();
      const stored = await svc.getRecordsByIds<string, { open: boolean }>(["1"], "Ticket");
      expectTypeOf(stored).toEqualTypeOf<Map<string, { open: boolean }>>();
      expectTypeOf((await svc.getRecordsByIds([1], "Ticket")).get(1)?.subject).toEqualTypeOf<
        string | undefined
      >();
      // @ts-expect-error no such model
      await svc.getRecordsByIds<string, { open: boolean }>(["1"], "Tickets");
      await takesOtherNames(svc, svc);
    },
  });

  expect(sync.checkpoint).toBe(Progress);
});

async function takesOtherNames(action: NangoAction, sync: NangoSync): Promise<void> {
  expectTypeOf<NangoAction>().toEqualTypeOf<SvcAction>();
  expectTypeOf<NangoSync>().toEqualTypeOf<SvcSync>();
  await action.log("and", sync.variant);
}

test("credentials narrow on their type, and are open before", () => {
  const read = (credentials: ConnectionCredentials): string => {
    switch (credentials.type) {
      case "OAUTH2":
        expectTypeOf(credentials).toEqualTypeOf<OAuth2Credentials>();
        expectTypeOf(credentials.access_token).toEqualTypeOf<string>();
        expectTypeOf(credentials.expires_at).toEqualTypeOf<string | undefined>();
        return credentials.access_token;
      case "API_KEY":
        expectTypeOf(credentials.apiKey).toEqualTypeOf<string>();
        return credentials.apiKey;
      case "BASIC":
        return `${credentials.username}:${credentials.password}`;
      default:
        return credentials["anything"];
    }
  };
  // @ts-expect-error no such type
  const wrong: ConnectionCredentials = { type: "OAUTH3" };

  expect(read({ type: "API_KEY", apiKey: "k" })).toBe("k");
  expect(read({ type: "BASIC", username: "a", password: "b" })).toBe("a:b");
  expect(wrong.type).toBe("OAUTH3");
});

test("an ActionError keeps its payload and takes the message from it", () => {
  const error = new ActionError({ message: "no such contact", id: 7 });

  expect(error).toBeInstanceOf(Error);
  expect(error.message).toBe("no such contact");
  expect(error.payload).toEqual({ message: "no such contact", id: 7 });
  expect(new ActionError("plain").message).toBe("plain");
});
