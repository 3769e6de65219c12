import {
  findSizeFault,
  isBuiltIn,
  listCallbackStateNames,
  type Provider,
  readProvider,
} from "@jackfield/catalogue";
import { LRUCache } from "lru-cache";

/** An entry as it was given, in the schema of the catalogue. */
export type ProviderEntry = Readonly<Record<string, unknown>>;

/** A provider of an environment's own. */
export interface CustomProvider {
  readonly slug: string;
  readonly version: number;
  readonly replacesBuiltIn: boolean;
  readonly entry: ProviderEntry;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What an integration keeps of a custom provider. */
export interface ProviderDefinition {
  readonly entry: ProviderEntry;
  readonly version: number;
}

/** An entry that may be kept, or why it may not; its lines name path and reason. */
export function readCustomEntry(entry: ProviderEntry): {
  readonly provider: Provider | undefined;
  readonly faults: readonly string[];
} {
  const size = findSizeFault(entry);
  if (size !== undefined) return { provider: undefined, faults: [`entry: ${size}`] };
  const { provider, faults } = readProvider(entry, "entry");
  const found = [...faults];
  const state =
    provider !== undefined && "callback" in provider ? provider.callback.state : "state";
  if (!listCallbackStateNames().includes(state)) {
    found.push(
      `entry: callback.state: no provider calls the state ${state}; add the entry as a file`,
    );
  }
  return { provider: found.length === 0 ? provider : undefined, faults: toAnswer(found) };
}

const MAX_FAULTS = 20;
const MAX_FAULT_CHARACTERS = 500;

/** So many faults as can be mended at once, and so much of each as says what it is about. */
export function toAnswer(faults: readonly string[]): string[] {
  const reported = faults
    .slice(0, MAX_FAULTS)
    .map((fault) =>
      fault.length > MAX_FAULT_CHARACTERS ? `${fault.slice(0, MAX_FAULT_CHARACTERS)}…` : fault,
    );
  const rest = faults.length - reported.length;
  return rest === 0 ? reported : [...reported, `entry: ${rest} more faults are left out`];
}

/** Why the id may not be taken; undefined when it may. */
export function findIdFault(
  id: string,
  { replacesBuiltIn }: { replacesBuiltIn: boolean },
): string | undefined {
  if (isBuiltIn(id) === replacesBuiltIn) return undefined;
  return replacesBuiltIn
    ? `replaces nothing: the catalogue has no "${id}"; leave replaces_built_in out`
    : `is in the catalogue: choose another id, or send replaces_built_in`;
}

// Process-wide: made of the entry alone, which was read before; parsing it again takes a millisecond.
const parsed = new LRUCache<string, Provider>({ max: 500 });

/** The provider of a definition that was kept; throws where a newer release no longer reads it. */
export function toProvider({ entry }: Pick<ProviderDefinition, "entry">): Provider {
  const key = JSON.stringify(entry);
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const { provider, faults } = readProvider(entry, "entry");
  if (provider === undefined)
    throw new Error(`A custom provider cannot be read: ${faults.join("; ")}`);
  parsed.set(key, provider);
  return provider;
}
