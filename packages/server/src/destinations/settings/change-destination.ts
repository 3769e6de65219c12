import { randomUUID } from "node:crypto";
import { noteBefore } from "#audit";
import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { notifyDue } from "#tasks";
import { DESTINATIONS, type Destination, MOST_DESTINATIONS } from "../destination.ts";
import {
  deleteDestinationRow,
  findDestination,
  insertDestination,
  listDestinationRows,
  lockEnvironmentOf,
  restartRow,
  updateDestinationRow,
} from "../store.ts";
import { type Changed, type Created, toChangedTarget, toNewTarget } from "./choose-target.ts";

/** Throws not_found. */
export async function getDestination(ctx: EnvironmentContext, id: string): Promise<Destination> {
  const found = await findDestination(ctx.db, ctx.environment.id, id);
  if (found !== undefined) return found;
  throw new AppError("not_found", `The environment has no destination ${id}.`);
}

/** Throws invalid_body, destination_not_allowed, conflict and resource_capped. */
export async function createDestination(
  ctx: EnvironmentContext,
  body: Created,
): Promise<Destination> {
  const [id, environmentId] = [randomUUID(), ctx.environment.id];
  const { place, address, target } = await toNewTarget(ctx, id, body);
  await withTransaction(ctx, async (ctx) => {
    const { db, clock } = ctx;
    await lockEnvironmentOf(db, environmentId);
    if ((await listDestinationRows(db, environmentId)).length >= MOST_DESTINATIONS) {
      throw new AppError(
        "resource_capped",
        `An environment has at most ${MOST_DESTINATIONS} destinations.`,
      );
    }
    const now = clock.now();
    const isNew = await insertDestination(db, environmentId, {
      ...{ id, name: body.name, place, target, address, now },
      ...{ models: body.models ?? null, integrations: body.integrations ?? null },
      generation: now.getTime(),
      pauseReason: body.paused === true ? "requested" : null,
    });
    if (!isNew) throw nameTaken(body.name);
    await notifyDue(ctx, DESTINATIONS);
  });
  recordChange(ctx, { message: `Create the destination ${body.name}`, meta: { address } });
  return await getDestination(ctx, id);
}

/** Throws not_found, invalid_body, destination_not_allowed and conflict. */
export async function updateDestination(
  ctx: EnvironmentContext,
  id: string,
  body: Changed,
): Promise<Destination> {
  const before = await getDestination(ctx, id);
  const { place, address, target } = await toChangedTarget(ctx, before, body);
  await withTransaction(ctx, async (ctx) => {
    const { db, clock } = ctx;
    const environmentId = ctx.environment.id;
    // Read again within the lock: calls at once must not undo one another.
    await lockEnvironmentOf(db, environmentId);
    const known = await getDestination(ctx, id);
    const others = await listDestinationRows(db, environmentId);
    const name = body.name ?? known.name;
    if (others.some((other) => other.id !== id && other.name === name)) throw nameTaken(name);
    const now = clock.now();
    const models = body.models === undefined ? known.models : body.models;
    const integrations = body.integrations === undefined ? known.integrations : body.integrations;
    const isRefilled = body.models !== undefined || body.integrations !== undefined;
    noteBefore(ctx, {
      ...{ name: known.name, models: known.models, integrations: known.integrations },
      paused: known.pauseReason !== null,
    });
    await updateDestinationRow(db, environmentId, {
      ...{ id, name, place, target, address, models, integrations, now },
      generation: isRefilled ? Math.max(known.generation + 1, now.getTime()) : known.generation,
      pauseReason: toPauseReason(known, body.paused),
    });
    await notifyDue(ctx, DESTINATIONS);
  });
  recordChange(ctx, { message: `Change the destination ${before.name}`, meta: { address } });
  return await getDestination(ctx, id);
}

/** Throws not_found. */
export async function restartDestination(
  ctx: EnvironmentContext,
  id: string,
): Promise<Destination> {
  const { name } = await getDestination(ctx, id);
  await withTransaction(ctx, async (ctx) => {
    await restartRow(ctx.db, ctx.environment.id, { id, now: ctx.clock.now() });
    await notifyDue(ctx, DESTINATIONS);
  });
  recordChange(ctx, { message: `Fill the destination ${name} again` });
  return await getDestination(ctx, id);
}

/** Throws not_found. */
export async function deleteDestination(ctx: EnvironmentContext, id: string): Promise<void> {
  const { name, address } = await getDestination(ctx, id);
  await withTransaction(ctx, async (ctx) => {
    noteBefore(ctx, { name, address });
    await deleteDestinationRow(ctx.db, ctx.environment.id, id);
  });
  recordChange(ctx, { message: `Delete the destination ${name}` });
}

function toPauseReason({ pauseReason }: Destination, paused: boolean | undefined) {
  if (paused === undefined) return pauseReason;
  return paused ? (pauseReason ?? "requested") : null;
}

function nameTaken(name: string): AppError {
  return new AppError("conflict", `The environment has a destination ${name} already.`);
}
