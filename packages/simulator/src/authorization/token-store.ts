import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";

interface StoredEntry {
  readonly model: string;
  readonly payload: AdapterPayload;
  readonly expiresAtMs: number;
}

/**
 * Makes the in-memory storage of the authorization server. `newReuseError` builds the error of a
 * code or refresh token that is presented twice at the same moment.
 */
export function createTokenStore(newReuseError: () => Error): AdapterFactory {
  const entries = new Map<string, StoredEntry>();
  const revokedGrants = new Set<string>();
  let pruneAtSize = 1000;

  function findEntry(key: string): StoredEntry | undefined {
    const entry = entries.get(key);
    if (entry !== undefined && entry.expiresAtMs > Date.now()) return entry;
    entries.delete(key);
    return undefined;
  }

  function findPayloadBy(
    model: string,
    matches: (payload: AdapterPayload) => boolean,
  ): AdapterPayload | undefined {
    for (const [key, entry] of entries) {
      if (entry.model === model && matches(entry.payload)) return findEntry(key)?.payload;
    }
    return undefined;
  }

  function pruneExpired(): void {
    if (entries.size < pruneAtSize) return;
    for (const key of [...entries.keys()]) findEntry(key);
    pruneAtSize = Math.max(1000, entries.size * 2);
  }

  function revokeGrant(grantId: string): void {
    revokedGrants.add(grantId);
    entries.delete(`Grant:${grantId}`);
    for (const [key, entry] of entries) {
      if (entry.payload.grantId === grantId) entries.delete(key);
    }
  }

  return (model: string): Adapter => ({
    async upsert(id, payload, expiresIn) {
      // A grant can be revoked while one of its refreshes is under way: what that refresh
      // still stores must not outlive the grant.
      if (payload.grantId !== undefined && revokedGrants.has(payload.grantId)) return;
      pruneExpired();
      const expiresAtMs = expiresIn === undefined ? Infinity : Date.now() + expiresIn * 1000;
      entries.set(`${model}:${id}`, { model, payload: { ...payload }, expiresAtMs });
    },
    async find(id) {
      return findEntry(`${model}:${id}`)?.payload;
    },
    async findByUid(uid) {
      return findPayloadBy(model, (payload) => payload.uid === uid);
    },
    async findByUserCode(userCode) {
      return findPayloadBy(model, (payload) => payload.userCode === userCode);
    },
    async consume(id) {
      const payload = findEntry(`${model}:${id}`)?.payload;
      // oidc-provider checks `consumed` and sets it in two steps; two requests with one token
      // can both pass the check, so the second of them is caught here (RFC 9700, 4.14.2).
      if (payload === undefined || payload.consumed) {
        if (payload?.grantId !== undefined) revokeGrant(payload.grantId);
        throw newReuseError();
      }
      payload.consumed = Math.floor(Date.now() / 1000);
    },
    async destroy(id) {
      entries.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      revokeGrant(grantId);
    },
  });
}
