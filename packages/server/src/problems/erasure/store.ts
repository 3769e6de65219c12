import { sql } from "kysely";
import type { EnvironmentId } from "#platform";
import type { Db } from "#platform/db";

/** Takes names out of what problems show, and notes in which a word stands; resolves to how many rows changed. */
export async function emptyProblems(
  db: Db,
  environmentId: EnvironmentId,
  { names, words }: { names: readonly string[]; words: readonly string[] },
): Promise<number> {
  const hasWord = sql`exists (select from unnest(${words}::text[]) word where strpos(lower(note), lower(word)) > 0)`;
  const result = await sql`
    update problems
       set sample = sample - ${names}::text[], note = case when ${hasWord} then null else note end
     where environment_id = ${environmentId} and (sample ?| ${names}::text[] or ${hasWord})`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0n);
}
