export const functionKinds = ["sync", "action", "on-event"] as const;
export type FunctionKind = (typeof functionKinds)[number];

/** Folder of a project that holds functions of a kind. */
export const folderOfKind = {
  sync: "syncs",
  action: "actions",
  "on-event": "on-events",
} as const satisfies Record<FunctionKind, string>;

/**
 * The first text of a function's file; it compiles as it is. `knowsPages`: the catalogue tells how the provider's lists
 * are paged.
 */
export function writeFunctionTemplate(
  kind: FunctionKind,
  name: string,
  { knowsPages = false }: { readonly knowsPages?: boolean } = {},
): string {
  switch (kind) {
    case "sync":
      return writeSync(name, knowsPages ? knownPages : anyPages);
    case "action":
      return writeAction();
    case "on-event":
      return writeOnEvent();
  }
}

/** `open-deals` -> `OpenDeals`, as a record model is named; never shorter than two letters. */
function toModelName(name: string): string {
  const pascal = name
    .split(/[^a-zA-Z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
  return /^[A-Z][a-zA-Z0-9_]+$/.test(pascal) ? pascal : `Model${pascal}`;
}

const anyPages = `{
        type: "cursor",
        limit: 100,
        limit_name_in_request: "limit",
        cursor_name_in_request: "cursor",
        cursor_path_in_response: "next_cursor",
        response_path: "items",
      }`;

const knownPages = `{
        // How this provider pages its lists is known; say here only what differs for this one.
      }`;

function writeSync(name: string, pages: string): string {
  const model = toModelName(name);
  return `import { createSync } from "jackfield";
import * as z from "zod";

const ${model} = z.object({
  id: z.string(),
  name: z.string(),
});

export default createSync({
  description: "What this sync copies, in a sentence.",
  frequency: "every hour",
  autoStart: true,
  models: { ${model} },
  onInvalidRecord: "quarantine",

  exec: async (svc) => {
    const pages = svc.paginate<{ id: string; name: string }>({
      endpoint: "/path/of/the/list",
      retries: 3,
      paginate: ${pages},
    });

    for await (const page of pages) {
      const records = page.map(({ id, name }) => ({ id, name }));
      await svc.batchSave(records, "${model}");
    }
  },
});
`;
}

function writeAction(): string {
  return `import { createAction } from "jackfield";
import * as z from "zod";

export default createAction({
  description: "What this action does, in a sentence.",
  input: z.object({ name: z.string().min(1) }),
  output: z.object({ id: z.string() }),

  exec: async (svc, input) => {
    const { data } = await svc.post<{ id: string }>({
      endpoint: "/path/of/the/resource",
      data: { name: input.name },
    });

    return { id: data.id };
  },
});
`;
}

function writeOnEvent(): string {
  return `import { createOnEvent } from "jackfield";

export default createOnEvent({
  description: "What happens at this point of a connection's life, in a sentence.",
  // Or "pre-connection-deletion", "validate-connection".
  event: "post-connection-creation",

  exec: async (svc) => {
    await svc.log("A connection was made", { connection: svc.connectionId });
  },
});
`;
}
