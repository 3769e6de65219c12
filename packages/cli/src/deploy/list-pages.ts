import * as z from "zod";
import { callPlatform, type Platform } from "./call-platform.ts";

const PAGE = 100;

export interface ListCall<Item> {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** One item of `data`. */
  readonly item: z.ZodType<Item>;
  /** Of a list that has larger pages than most. */
  readonly pageSize?: number;
}

/** Each page of a list in turn; the next one is asked for when it is wanted. Throws UserError. */
export async function* listPages<Item>(
  platform: Platform,
  { path, query, item, pageSize = PAGE }: ListCall<Item>,
): AsyncGenerator<Item[]> {
  const answer = z.looseObject({ data: z.array(item), next_cursor: z.string().nullable() });
  let cursor: string | null = null;
  do {
    const page: z.output<typeof answer> = await callPlatform(platform, {
      ...{ method: "GET", path, answer },
      query: { ...query, limit: String(pageSize), ...(cursor !== null && { cursor }) },
    });
    yield page.data;
    cursor = page.next_cursor;
  } while (cursor !== null);
}
