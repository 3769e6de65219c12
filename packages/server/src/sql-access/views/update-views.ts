import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import { findPartition } from "#records";
import { noteViews } from "../store.ts";
import {
  createView,
  dropViews,
  limitLockWait,
  listModelNames,
  listReservedWords,
  VIEWS_VERSION,
} from "./store.ts";
import { nameViews } from "./view-names.ts";

/** Of one environment, in the order of their models. */
const MOST_VIEWS = 1000;

export interface ViewedEnvironment {
  readonly role: string;
  readonly schema: string;
  readonly environmentId: EnvironmentId;
  /** Model of each view that is there as this release makes them. */
  readonly views: Readonly<Record<string, string>>;
}

/** In a transaction: makes views of new models, and drops those of models that are gone. */
export async function updateViews(db: Db, of: ViewedEnvironment): Promise<void> {
  const { role, schema, environmentId, views: known } = of;
  await limitLockWait(db);
  const models = await listModelNames(db, environmentId, MOST_VIEWS);
  const number = await findPartition(db, environmentId);
  const views = nameViews(number === undefined ? [] : models, known, await listReservedWords(db));
  const gone = Object.keys(known).filter((name) => !Object.hasOwn(views, name));
  await dropViews(db, schema, gone);
  for (const [name, model] of Object.entries(views)) {
    if (Object.hasOwn(known, name) || number === undefined) continue;
    await createView(db, { role, schema }, { name, model, environmentId, number });
  }
  await noteViews(db, role, { views, version: VIEWS_VERSION });
}

/** Whether a model is without its view, or a view without its model. */
export async function areBehind(
  db: Db,
  { environmentId, views }: ViewedEnvironment,
): Promise<boolean> {
  const models = await listModelNames(db, environmentId, MOST_VIEWS);
  const viewed = new Set(Object.values(views));
  return models.length !== viewed.size || models.some((model) => !viewed.has(model));
}
