import * as z from "zod";

/**
 * The format of the compatible platform's dry runs, under the same path as ours: answers by method and path, one for each
 * different request, and what was saved. A request that is repeated gets the same answer again, and one that is not
 * made is no difference.
 */
const entry = z.looseObject({
  response: z.unknown().optional(),
  status: z.number().int().optional(),
  headers: z.record(z.string(), z.unknown()).optional(),
  request: z
    .looseObject({
      params: z.record(z.string(), z.unknown()).optional(),
      headers: z.record(z.string(), z.unknown()).optional(),
      data: z.unknown().optional(),
    })
    .optional(),
});
export type OtherEntry = z.infer<typeof entry>;

const lists = z.record(z.string(), z.array(z.looseObject({})));
const otherRecording = z
  .looseObject({
    input: z.unknown().optional(),
    output: z.unknown().optional(),
    nango: z
      .looseObject({
        getConnection: z.looseObject({}).nullish(),
        getMetadata: z.record(z.string(), z.unknown()).nullish(),
        batchSave: lists.nullish(),
        batchDelete: lists.nullish(),
      })
      .optional(),
    api: z.record(z.string(), z.record(z.string(), z.union([z.array(entry), entry]))).optional(),
  })
  .refine(({ nango, api }) => nango !== undefined || api !== undefined);
export type OtherRecording = z.infer<typeof otherRecording>;

/** Nothing for a file of another format. */
export function parseOtherRecording(value: unknown): OtherRecording | undefined {
  const parsed = otherRecording.safeParse(value);
  return parsed.success && !("format" in parsed.data) ? parsed.data : undefined;
}
