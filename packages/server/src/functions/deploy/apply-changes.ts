import type { EnvironmentContext } from "#foundation";
import { type DeployedFunction, nextVersion } from "../deployed-function.ts";
import { insertBundles, insertFunctions, type NewFunction, updateFunctions } from "../store.ts";
import type { Change } from "./compare-functions.ts";

export interface AppliedChange {
  readonly fn: DeployedFunction;
  readonly integrationKey: string;
}

/** What one statement writes: 6 parameters and more a function, of 65,535 that Postgres takes. */
const MOST_FUNCTIONS = 200;
const MOST_CHARACTERS = 1_000_000;

/** Writes what changes, some functions in one statement; what it returns is in the order of `changes`. */
export async function applyChanges(
  ctx: EnvironmentContext,
  changes: readonly Change[],
): Promise<AppliedChange[]> {
  const written = new Map<Change, DeployedFunction>();
  for (const group of toGroups(changes)) {
    for (const [change, fn] of await applyGroup(ctx, group)) written.set(change, fn);
  }
  return changes.map((change) => {
    const fn = written.get(change);
    if (fn === undefined) throw new Error(`${change.uploaded.name} was not written`);
    return { fn, integrationKey: change.uploaded.integrationKey };
  });
}

function toGroups(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [[]];
  let characters = 0;
  for (const change of changes) {
    const group = groups.at(-1);
    if (group === undefined || group.length >= MOST_FUNCTIONS || characters >= MOST_CHARACTERS) {
      groups.push([change]);
      characters = 0;
    } else {
      group.push(change);
    }
    const { code = "", source = "", sourceMap = "" } = change.uploaded.bundle ?? {};
    characters += code.length + source.length + sourceMap.length;
  }
  return groups;
}

async function applyGroup(
  ctx: EnvironmentContext,
  group: readonly Change[],
): Promise<(readonly [Change, DeployedFunction])[]> {
  const { db } = ctx;
  const { id: environmentId } = ctx.environment;
  const now = ctx.clock.now();
  const bundles = group.flatMap(({ kind, uploaded: { bundle, bundleSha256: sha256 } }) =>
    kind === "unchanged" || bundle === undefined ? [] : [{ ...bundle, sha256, createdAt: now }],
  );
  await insertBundles(db, environmentId, bundles);
  const added = group.filter(({ current }) => current === undefined);
  const inserted = await insertFunctions(
    db,
    environmentId,
    added.map(({ uploaded }) => toRow(uploaded, undefined, now)),
  );
  const changed = group.flatMap((change) => toUpdate(change, now));
  const updated = await updateFunctions(
    db,
    environmentId,
    changed.map(({ row }) => row),
  );
  return [
    ...pair(added, inserted),
    ...pair(
      changed.map(({ change }) => change),
      updated,
    ),
    ...group.flatMap((change) => (isSettled(change) ? [[change, change.current] as const] : [])),
  ];
}

function pair<Left, Right>(left: readonly Left[], right: readonly Right[]) {
  return left.flatMap((each, index) => {
    const other = right[index];
    return other === undefined ? [] : [[each, other] as const];
  });
}

/** Nothing is to be written. */
function isSettled(change: Change): change is Change & { readonly current: DeployedFunction } {
  const { kind, current, uploaded } = change;
  return kind === "unchanged" && current?.source === uploaded.source;
}

function toUpdate(change: Change, now: Date) {
  const { kind, current, uploaded } = change;
  if (current === undefined || isSettled(change)) return [];
  const { id, version, deployedAt } = current;
  // Whose an unchanged one is changes with who has deployed it last, and nothing else does.
  const row =
    kind === "unchanged"
      ? { ...uploaded, id, version, deployedAt }
      : { ...toRow(uploaded, current, now), id };
  return [{ change, row }];
}

function toRow(
  uploaded: Change["uploaded"],
  current: DeployedFunction | undefined,
  deployedAt: Date,
): NewFunction {
  const version = uploaded.version ?? nextVersion(uploaded.type, current?.version);
  return { ...uploaded, version, deployedAt };
}
