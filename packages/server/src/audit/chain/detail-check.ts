import type { SystemContext } from "#foundation";
import { digestOfDetails, type Part } from "../details/digest.ts";
import { ERASURE } from "../details/erase-details.ts";
import { listDetails } from "../details/store.ts";
import type { AuditRow } from "../store.ts";

type KeyHolder = Pick<SystemContext, "db" | "clock" | "keys">;

/** Compares details with the digests of their events, and those that are missing with the erasures that were recorded. */
export class DetailCheck {
  readonly #ctx: KeyHolder;
  readonly #note: (fault: string) => unknown;
  #recorded = 0;
  erased = 0;

  constructor(ctx: KeyHolder, note: (fault: string) => unknown) {
    this.#ctx = ctx;
    this.#note = note;
  }

  async verify(rows: readonly AuditRow[]): Promise<void> {
    const details = await listDetails(
      this.#ctx.db,
      rows.map(({ id }) => id),
    );
    const known = new Map(details.map((each) => [`${each.eventId} ${each.part}`, each]));
    for (const row of rows) {
      if (row.action === ERASURE) this.#recorded += Number(row.fields["details"] ?? 0);
      for (const [part, digest] of digestsOf(row)) {
        const found = known.get(`${row.id} ${part}`);
        if (found === undefined) this.erased += 1;
        else if (!digest.equals(await digestOfDetails(this.#ctx, found))) {
          this.#note(`The ${part} of event ${row.id} was changed.`);
        }
      }
    }
  }

  end(): void {
    const missing = this.erased - this.#recorded;
    if (missing > 0) this.#note(`${missing} details are missing that no erasure names.`);
  }
}

function digestsOf({ actorDigest, subjectDigest }: AuditRow): [Part, Buffer][] {
  return [
    ...(actorDigest === null ? [] : [["actor", actorDigest] as [Part, Buffer]]),
    ...(subjectDigest === null ? [] : [["subject", subjectDigest] as [Part, Buffer]]),
  ];
}
