import * as z from "zod";
import { callPlatform, type Platform, PlatformRefusal } from "../deploy/call-platform.ts";
import { messageOf } from "../user-error.ts";
import type { ListedConnection, NangoIntegration, NangoSource } from "./nango-shapes.ts";
import { isMovable, toNewConnection, toNewIntegration } from "./to-import.ts";

/** What happened to one, or what would. */
export type Fate = "moves" | "exists" | "cannot";

export interface Moved {
  readonly integration: string;
  readonly provider: string;
  readonly fate: Fate;
  /** Why it cannot be moved. */
  readonly reason?: string;
  readonly connections: Readonly<Record<Fate, number>>;
}

export interface Report {
  readonly integrations: readonly Moved[];
  /** Connections that cannot be moved, each with the reason; the first thousand. */
  readonly failures: readonly { integration: string; connection: string; reason: string }[];
  /** Where providers must send end users back from now on. */
  readonly callbackUrls: readonly string[];
}

export interface MoveOptions {
  readonly dryRun: boolean;
  /** The old platform that keeps refreshing tokens that can be refreshed once; undefined: none does. */
  readonly readThrough: string | undefined;
  /** Only this integration. */
  readonly integration: string | undefined;
  readonly onProgress: (text: string) => void;
}

const SIDE_BY_SIDE = 8;
const MOST_FAILURES = 1000;

/**
 * Moves integrations, then their connections. What is there already stays as it is, so that a move that was cut off
 * continues; with `dryRun` nothing is written, and no credential is read.
 */
export async function moveFromNango(
  source: NangoSource,
  target: Platform,
  options: MoveOptions,
): Promise<Report> {
  const callbackUrls = new Set<string>();
  const integrations = new Map<string, Mutable>();
  for (const listed of await source.listIntegrations()) {
    const { unique_key: key, provider } = listed;
    if (options.integration !== undefined && options.integration !== key) continue;
    options.onProgress(key);
    const found = await moveIntegration(source, target, { listed, dryRun: options.dryRun });
    if (found.callbackUrl !== undefined) callbackUrls.add(found.callbackUrl);
    const connections = { moves: 0, exists: 0, cannot: 0 };
    integrations.set(key, { integration: key, provider, ...found.moved, connections });
  }
  const failures: { integration: string; connection: string; reason: string }[] = [];
  for await (const page of source.listConnections()) {
    const known = page.filter(({ provider_config_key: key }) => integrations.has(key));
    await inParallel(known, async (listed) => {
      const integration = integrations.get(listed.provider_config_key);
      if (integration === undefined) return;
      const { fate, reason } = await moveConnection(source, target, {
        listed,
        integration,
        ...{ dryRun: options.dryRun, readThrough: options.readThrough },
      });
      integration.connections[fate] += 1;
      if (reason === undefined || failures.length >= MOST_FAILURES) return;
      const name = { integration: integration.integration, connection: listed.connection_id };
      failures.push({ ...name, reason });
    });
    options.onProgress(`${countConnections(integrations)} connections`);
  }
  return { integrations: [...integrations.values()], failures, callbackUrls: [...callbackUrls] };
}

interface Mutable extends Moved {
  readonly connections: Record<Fate, number>;
}

function countConnections(integrations: ReadonlyMap<string, Moved>): number {
  const counts = [...integrations.values()].flatMap(({ connections }) =>
    Object.values(connections),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const there = z.looseObject({
  data: z.looseObject({ provider: z.string(), callback_url: z.string().optional() }),
});
const provider = z.looseObject({
  data: z.looseObject({ auth_mode: z.string(), callback_url: z.string().optional() }),
});

async function moveIntegration(
  source: NangoSource,
  target: Platform,
  { listed, dryRun }: { listed: NangoIntegration; dryRun: boolean },
): Promise<{ moved: Pick<Moved, "fate" | "reason">; callbackUrl?: string | undefined }> {
  const { unique_key: key, provider: id } = listed;
  const known = await find(target, `/integrations/${encodeURIComponent(key)}`, there);
  if (known !== undefined) {
    if (known.data.provider === id) {
      return { moved: { fate: "exists" }, callbackUrl: known.data.callback_url };
    }
    const reason = `the server has an integration of this name for ${known.data.provider}`;
    return { moved: { fate: "cannot", reason } };
  }
  const entry = await find(target, `/providers/${encodeURIComponent(id)}`, provider);
  if (entry === undefined) {
    return { moved: { fate: "cannot", reason: `the catalogue has no provider ${id}` } };
  }
  const callbackUrl = entry.data.callback_url;
  if (!isMovable(entry.data.auth_mode)) {
    const reason = `connections of ${entry.data.auth_mode} belong to the client of the other side: its end users connect again`;
    return { moved: { fate: "cannot", reason } };
  }
  if (dryRun) return { moved: { fate: "moves" }, callbackUrl };
  try {
    const body = toNewIntegration(await source.readIntegration(key));
    await callPlatform(target, { method: "POST", path: "/integrations", body, answer: there });
    return { moved: { fate: "moves" }, callbackUrl };
  } catch (error) {
    return { moved: { fate: "cannot", reason: messageOf(error) } };
  }
}

async function moveConnection(
  source: NangoSource,
  target: Platform,
  given: {
    listed: ListedConnection;
    integration: Moved;
    dryRun: boolean;
    readThrough: string | undefined;
  },
): Promise<{ fate: Fate; reason?: string }> {
  const { listed, integration, dryRun, readThrough } = given;
  const { connection_id: id, provider_config_key: key } = listed;
  if (integration.fate === "cannot") return { fate: "cannot" };
  try {
    if (integration.fate === "exists" && (await exists(target, key, id))) return { fate: "exists" };
    if (dryRun) return { fate: "moves" };
    if (readThrough !== undefined && (await isReadThrough(target, readThrough, listed))) {
      return { fate: "moves" };
    }
    const body = toNewConnection(await source.readConnection(listed));
    const answer = z.looseObject({});
    await callPlatform(target, { method: "POST", path: "/connections", body, answer });
    return { fate: "moves" };
  } catch (error) {
    return { fate: "cannot", reason: messageOf(error) };
  }
}

/** False for connections without a refresh token, which both sides may use. */
async function isReadThrough(
  target: Platform,
  oldPlatform: string,
  { connection_id, provider_config_key }: ListedConnection,
): Promise<boolean> {
  try {
    const path = `/old-platforms/${oldPlatform}/connections`;
    const body = { connection_id, provider_config_key };
    await callPlatform(target, { path, body, answer: z.looseObject({}) });
    return true;
  } catch (error) {
    const isOther = error instanceof PlatformRefusal && error.code === "invalid_auth_mode";
    if (isOther) return false;
    throw error;
  }
}

/** Asked for by the list: reading the connection itself might refresh its token. */
async function exists(target: Platform, integration: string, id: string): Promise<boolean> {
  const answer = z.looseObject({ connections: z.array(z.looseObject({})) });
  const query = { connectionId: id, integrationId: integration, limit: "1" };
  const { connections } = await callPlatform(target, {
    method: "GET",
    path: "/connections",
    query,
    answer,
  });
  return connections.length > 0;
}

async function find<Answer>(
  target: Platform,
  path: string,
  answer: z.ZodType<Answer>,
): Promise<Answer | undefined> {
  try {
    return await callPlatform(target, { method: "GET", path, answer });
  } catch (error) {
    if (error instanceof PlatformRefusal && error.status === 404) return undefined;
    throw error;
  }
}

async function inParallel<One>(
  all: readonly One[],
  work: (one: One) => Promise<void>,
): Promise<void> {
  const waiting = all.values();
  const worker = async () => {
    for (const one of waiting) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, all.length) }, worker));
}
