import * as z from "zod";

const MOST_TABLES = 100;
const MOST_COLUMNS = 200;

const columnId = z.string().min(1).max(300);
const columns = z.array(columnId).max(MOST_COLUMNS);

const tablePreferences = z
  .strictObject({
    hidden: columns.optional().meta({
      description: "Columns that are not shown. Default: all are.",
      examples: [["account"]],
    }),
    order: columns.optional().meta({
      description: "Columns in their order; those that are not named follow. Default: as they are.",
      examples: [["connection", "state"]],
    }),
    widths: z
      .record(columnId, z.number().int().min(40).max(2000))
      .refine((widths) => Object.keys(widths).length <= MOST_COLUMNS, {
        message: `may have at most ${MOST_COLUMNS} columns`,
      })
      .optional()
      .meta({
        description: "Widths of columns in pixels, 40 to 2,000. Default: as the window allows.",
        examples: [{ state: 140 }],
      }),
  })
  .meta({ id: "TablePreferences", description: "How a table of the dashboard looks." });

export const userPreferences = z
  .strictObject({
    tables: z
      .record(z.string().min(1).max(60), tablePreferences)
      .refine((tables) => Object.keys(tables).length <= MOST_TABLES, {
        message: `may have at most ${MOST_TABLES} tables`,
      })
      .describe("By name of the table."),
    rows: z
      .enum(["normal", "compact"])
      .describe("Height of rows: `normal` is 32 pixels, `compact` 28."),
  })
  .meta({ id: "UserPreferences", description: "How a user has set the tables of the dashboard." });
