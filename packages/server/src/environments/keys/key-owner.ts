import { lockAccount } from "#accounts";
import { accountOf, type Environment, type EnvironmentId, type SystemContext } from "#foundation";
import { lockEnvironment } from "../store.ts";

/** What a key belongs to: an environment of the account, or the account itself. */
export interface KeyOwner {
  readonly accountId: string;
  readonly environmentId: EnvironmentId | null;
}

export function ownedBy({ id: environmentId, accountId }: Environment): KeyOwner {
  return { accountId, environmentId };
}

/** The account of the caller, a key or a user of it. */
export function ownAccount({ actor }: Pick<SystemContext, "actor">): KeyOwner {
  return { accountId: accountOf(actor), environmentId: null };
}

/** Makes those who change the owner's keys take turns, until the transaction ends. */
export async function lockOwner({ db }: Pick<SystemContext, "db">, owner: KeyOwner): Promise<void> {
  if (owner.environmentId === null) await lockAccount(db, owner.accountId);
  else await lockEnvironment(db, owner.environmentId);
}

export function nameOwner({ environmentId }: KeyOwner): string {
  return environmentId === null ? "account" : "environment";
}
