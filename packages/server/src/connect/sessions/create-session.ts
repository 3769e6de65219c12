import { randomUUID } from "node:crypto";
import { requireRoom } from "#connections";
import { getEnvironmentSettings } from "#environments";
import {
  addMs,
  type ConnectionUuid,
  type EnvironmentContext,
  type SystemContext,
  serverState,
} from "#foundation";
import { BatchWriter, RowsInOrder } from "#foundation/batches";
import { soleSpelling } from "#gateway";
import { lookupHash } from "#vault";
import { countForOffered } from "../funnel/count-step.ts";
import {
  newSessionToken,
  SESSION_LIFE_MS,
  SESSION_TOKEN,
  type SessionDefaults,
  type SessionSettings,
} from "../session.ts";
import { sealDefaults } from "../session-defaults.ts";
import { insertSessions, type NewSession } from "../store.ts";
import { checkSession } from "./check-session.ts";

export interface SessionInput {
  readonly settings: SessionSettings;
  readonly defaults: SessionDefaults;
  /** The connection to authorize again. */
  readonly reconnects?: ConnectionUuid | undefined;
}

export interface CreatedSession {
  readonly token: string;
  readonly connectLink: string;
  readonly expiresAt: Date;
}

/** Makes a session of 30 minutes; its token is shown once and stored only as a keyed hash. */
export async function createSession(
  ctx: EnvironmentContext,
  input: SessionInput,
): Promise<CreatedSession> {
  const { row, created } = await prepareSession(ctx, input);
  await storeSession(ctx, row);
  await countForOffered(ctx, row, "created");
  return created;
}

/** Refuses what createSession refuses; the row is for the caller to store. */
export async function prepareSession(
  ctx: EnvironmentContext,
  { settings: given, defaults, reconnects }: SessionInput,
): Promise<{ readonly row: NewSession; readonly created: CreatedSession }> {
  const { connect_allowed_origins: usual } = await getEnvironmentSettings(ctx);
  const settings = { ...given, allowedOrigins: given.allowedOrigins ?? usual };
  await checkSession(ctx, settings, defaults);
  if (reconnects === undefined) await requireRoom(ctx);
  const token = newSessionToken();
  const name = { id: randomUUID(), environmentId: ctx.environment.id };
  const createdAt = ctx.clock.now();
  const expiresAt = addMs(createdAt, SESSION_LIFE_MS);
  const row = {
    ...name,
    tokenHash: await lookupHash(ctx, SESSION_TOKEN, token),
    settings,
    sealedDefaults: await sealDefaults(ctx, name, defaults),
    reconnects,
    createdAt,
    expiresAt,
  };
  const shown = soleSpelling(ctx, token);
  const connectLink = addressOf(ctx, settings, shown);
  return { row, created: { token: shown, connectLink, expiresAt } };
}

/** The page of the session; the token of the one for connections follows `#`, which no log of a server or proxy shows. */
function addressOf(
  { settings: { connectUrl } }: EnvironmentContext,
  { purpose }: SessionSettings,
  token: string,
): string {
  const base = connectUrl.replace(/(?<!\/)\/+$/, "");
  if (purpose === "manage") return `${base}/manage/#session_token=${token}`;
  const link = new URL(`${base}/`);
  link.searchParams.set("session_token", token);
  return link.href;
}

const BATCH_ROWS = 100;

const writer = serverState(
  () =>
    new BatchWriter<NewSession, void>({
      queue: new RowsInOrder(BATCH_ROWS),
      write: async (ctx, rows) => {
        await insertSessions(ctx.db, rows);
        return () => undefined;
      },
      splits: true,
    }),
);

/** Resolves once the session is stored. */
async function storeSession(ctx: SystemContext, row: NewSession): Promise<void> {
  await writer.of(ctx).write(ctx, row);
}
