import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";

/** Takes names out of what problems show, and notes in which a word stands; resolves to how many rows changed. */
export async function emptyProblems(
  db: Db,
  environmentId: EnvironmentId,
  { names, words }: { names: readonly string[]; words: readonly string[] },
): Promise<number> {
  const hasWord = (column: "note" | "cause") => sql`
    exists (select from unnest(${words}::text[]) word where strpos(lower(${sql.ref(column)}), lower(word)) > 0)`;
  const result = await sql`
    update problems
       set sample = sample - ${names}::text[], note = case when ${hasWord("note")} then null else note end,
           -- The words of a provider may be about the person without a name.
           cause = case when sample ?| ${names}::text[] or ${hasWord("cause")} then null else cause end
     where environment_id = ${environmentId}
       and (sample ?| ${names}::text[] or ${hasWord("note")} or ${hasWord("cause")})`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
