import { sql } from "kysely";
import { type Db, hotStatement, runHot } from "#foundation/db";

// A process whose clock lags counts in the window that the others are in.
const count = hotStatement(
  "count_call",
  `insert into rate_limits as r (account_id, bucket, window_number, calls) values ($1, $2, $3, $4)
   on conflict (account_id, bucket) do update set
     calls = excluded.calls + case when r.window_number < excluded.window_number then 0 else r.calls end,
     window_number = greatest(r.window_number, excluded.window_number)
   returning window_number, calls`,
);

/** Counts calls in the current window of the row; resolves to that window and its calls so far. */
export async function countCall(
  db: Db,
  {
    accountId,
    bucket,
    window,
    calls = 1,
  }: { accountId: string; bucket: string; window: number; calls?: number },
): Promise<{ window: number; calls: number }> {
  const [row] = await runHot<{ window_number: number; calls: number }>(
    db,
    count([accountId, bucket, window, calls]),
  );
  if (row === undefined) throw new Error("the call was not counted");
  return { window: Number(row.window_number), calls: Number(row.calls) };
}

/** Of sessions of agents, whose rows nobody counts in any more. */
export async function deleteAgentWindowsBefore(db: Db, window: number): Promise<void> {
  await sql`
    delete from rate_limits where bucket like 'agent %' and window_number < ${window}`.execute(db);
}

export interface AnswerKey {
  readonly apiKeyId: string;
  readonly keyHash: Buffer;
}

/** How long a process that shows no sign of life keeps its lease; it renews it every third of that time. */
export const LEASE_SECONDS = 30;

// A row is free when its day is over, or when the same request has lost the process that ran it and may run
// again: always, or as long as it has changed nothing outside.
const take = hotStatement(
  "take_lease",
  `insert into kept_answers as k (api_key_id, key_hash, request_hash, fence, turn_until, expires_at)
   values ($1, $2, $3, 1, clock_timestamp() + interval '${LEASE_SECONDS} seconds', $4)
   on conflict (api_key_id, key_hash) do update set
     request_hash = excluded.request_hash, answer = null, has_effects = false, fence = k.fence + 1,
     turn_until = excluded.turn_until, expires_at = excluded.expires_at
   where k.expires_at <= $5
      or (($6 or not k.has_effects) and k.answer is null and k.turn_until < clock_timestamp()
          and k.request_hash = excluded.request_hash)
   returning fence`,
);

/** The fence of the lease, or undefined when the key is taken. */
export async function takeLease(
  db: Db,
  { apiKeyId, keyHash }: AnswerKey,
  lease: { requestHash: Buffer; expiresAt: Date; now: Date; mayRepeat: boolean },
): Promise<string | undefined> {
  const { requestHash, expiresAt, now, mayRepeat } = lease;
  const values = [apiKeyId, keyHash, requestHash, expiresAt, now, mayRepeat];
  const [row] = await runHot<{ fence: string }>(db, take(values));
  return row?.fence;
}

export interface IdempotencyRecord {
  readonly requestHash: Buffer;
  readonly answer: Buffer | undefined;
  readonly isAbandoned: boolean;
}

const find = hotStatement(
  "find_kept_answer",
  `select request_hash, answer, turn_until < clock_timestamp() as abandoned
     from kept_answers where api_key_id = $1 and key_hash = $2`,
);

export async function findIdempotencyRecord(
  db: Db,
  { apiKeyId, keyHash }: AnswerKey,
): Promise<IdempotencyRecord | undefined> {
  const [row] = await runHot<{ request_hash: Buffer; answer: Buffer | null; abandoned: boolean }>(
    db,
    find([apiKeyId, keyHash]),
  );
  if (row === undefined) return undefined;
  return {
    requestHash: row.request_hash,
    answer: row.answer ?? undefined,
    isAbandoned: row.abandoned,
  };
}

const note = hotStatement(
  "note_effect",
  `update kept_answers set has_effects = true
    where api_key_id = $1 and key_hash = $2 and fence = $3 and answer is null
   returning fence`,
);

/** Marks that the request has effects; false when the lease is lost. */
export async function noteEffect(
  db: Db,
  { apiKeyId, keyHash }: AnswerKey,
  fence: string,
): Promise<boolean> {
  const rows = await runHot<{ fence: string }>(db, note([apiKeyId, keyHash, fence]));
  return rows.length > 0;
}

const renew = hotStatement(
  "renew_lease",
  `update kept_answers set turn_until = clock_timestamp() + interval '${LEASE_SECONDS} seconds'
    where api_key_id = $1 and key_hash = $2 and fence = $3 and answer is null`,
);

export async function renewLease(
  db: Db,
  { apiKeyId, keyHash }: AnswerKey,
  fence: string,
): Promise<void> {
  await runHot(db, renew([apiKeyId, keyHash, fence]));
}

const keep = hotStatement(
  "keep_answer",
  `update kept_answers set answer = $4 where api_key_id = $1 and key_hash = $2 and fence = $3`,
);

export async function storeAnswer(
  db: Db,
  { apiKeyId, keyHash }: AnswerKey,
  { fence, answer }: { fence: string; answer: Buffer },
): Promise<void> {
  await runHot(db, keep([apiKeyId, keyHash, fence, answer]));
}

const release = hotStatement(
  "release_lease",
  `delete from kept_answers
    where api_key_id = $1 and key_hash = $2 and fence = $3 and answer is null`,
);

export async function deleteLease(
  db: Db,
  { apiKeyId, keyHash }: AnswerKey,
  fence: string,
): Promise<void> {
  await runHot(db, release([apiKeyId, keyHash, fence]));
}

const expire = hotStatement("expire_answers", "delete from kept_answers where expires_at <= $1");

export async function deleteAnswersBefore(db: Db, now: Date): Promise<void> {
  await runHot(db, expire([now]));
}
