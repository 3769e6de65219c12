import { AppError } from "./errors.ts";

/** Where a list that is ordered by time and id continues. */
export interface KeysetPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface KeysetCursor {
  /** Opaque to callers. Whose rows are read is said by their key alone, so that nothing in it needs to be secret. */
  write(position: KeysetPosition): string;
  /** Throws 400 invalid_cursor for text that `write` has not made. */
  read(cursor: string): KeysetPosition;
}

const idForms = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  number: /^[1-9]\d{0,15}$/,
};

/** The cursors of a list; how each writes its positions stays, since callers keep cursors. */
export function keysetCursor({
  radix,
  separator,
  ids = "uuid",
}: {
  readonly radix: 10 | 36;
  readonly separator: "." | "/";
  /** What the rows' ids are. */
  readonly ids?: keyof typeof idForms;
}): KeysetCursor {
  const write = ({ createdAt, id }: KeysetPosition) =>
    Buffer.from(`${createdAt.getTime().toString(radix)}${separator}${id}`).toString("base64url");
  return {
    write,
    read(cursor) {
      const [time = "", id = ""] = Buffer.from(cursor, "base64url")
        .toString("utf8")
        .split(separator);
      const createdAt = new Date(Number.parseInt(time, radix));
      const isWhole = idForms[ids].test(id) && !Number.isNaN(createdAt.getTime());
      if (isWhole && write({ createdAt, id }) === cursor) return { createdAt, id };
      throw alteredCursor();
    },
  };
}

/** For text that no list of the server has given. */
export function alteredCursor(): AppError {
  return new AppError("invalid_cursor", "The cursor was altered; start without one.");
}
