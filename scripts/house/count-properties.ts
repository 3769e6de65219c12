interface Count {
  readonly described: number;
  readonly all: number;
}

/** Properties of all schemas of a document; one that refers to a named schema has the description of that. */
export function countProperties(document: unknown): Count {
  let described = 0;
  let all = 0;
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, properties } = Object(node);
    if (type === "object" && typeof properties === "object") {
      for (const property of Object.values<object>(properties)) {
        all += 1;
        if ("description" in property || "$ref" in property) described += 1;
      }
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(document);
  return { described, all };
}
