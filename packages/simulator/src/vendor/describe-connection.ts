import type { Provider } from "@jackfield/catalogue";
import { newGrant, newSecret, tokenLife, type VendorState } from "./vendor-state.ts";

/** Modes whose connections can be imported with no more than what the vendor knows. */
const importable: ReadonlySet<Provider["auth_mode"]> = new Set([
  "OAUTH2",
  "API_KEY",
  "BASIC",
  "NONE",
]);

/** Fields of `POST /connections`, but for the integration and the names that the caller gives. */
export interface DescribedConnection {
  readonly credentials: Readonly<Record<string, string>>;
  readonly connection_config: Readonly<Record<string, string>>;
}

/**
 * A connection of an end user who has agreed before, to be imported: each call is another one, with tokens of its
 * own. Undefined for modes that only a connect session can make.
 */
export function newImportableConnection(state: VendorState): DescribedConnection | undefined {
  const { provider, samples } = state;
  if (!importable.has(provider.auth_mode)) return undefined;
  const reported = { ...samples.connectionConfig, ...omitChosen(provider, samples.reported) };
  return {
    credentials: {
      type: provider.auth_mode,
      ...(provider.auth_mode === "OAUTH2" ? issueTokens(state) : samples.credentials),
    },
    connection_config: reported,
  };
}

/** Without what the vendor's own list decides, by which an import finds its account: the entry discovers it. */
function omitChosen(
  { after_connect: calls }: Provider,
  reported: Readonly<Record<string, string>>,
): Record<string, string> {
  const chosen = new Set(
    calls.flatMap(({ save }) =>
      Object.entries(save).flatMap(([name, source]) =>
        typeof source === "object" && "where" in source && source.path in source.where
          ? [name]
          : [],
      ),
    ),
  );
  return Object.fromEntries(Object.entries(reported).filter(([name]) => !chosen.has(name)));
}

function issueTokens(state: VendorState): Record<string, string> {
  const { provider, samples } = state;
  const accessEnds = Date.now() + tokenLife(state) * 1000;
  const access = newSecret(state, "access");
  const hasRefresh = provider.auth_mode === "OAUTH2" && provider.refresh_with === "refresh_token";
  const refresh = hasRefresh ? newSecret(state, "refresh") : undefined;
  state.grants.add(
    newGrant(samples.client, { config: { ...samples.reported }, access, accessEnds, refresh }),
  );
  return {
    access_token: access,
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
    expires_at: new Date(accessEnds).toISOString(),
  };
}
