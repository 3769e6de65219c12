import type { Environment, EnvironmentContext } from "#foundation";
import { deleteDestinationsOf } from "./store.ts";

/** Answers the deletion of an environment: nothing more is delivered, and no URL with a password is left. */
export async function deleteDestinationsOfEnvironment(
  { db }: EnvironmentContext,
  { id }: Environment,
): Promise<void> {
  await deleteDestinationsOf(db, id);
}
