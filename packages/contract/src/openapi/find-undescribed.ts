import { resolveReference } from "./resolve-reference.ts";

type Json = Readonly<Record<string, unknown>>;

/** Parameters and properties, at any depth of what is sent and answered, that nobody has described; a line each. */
export function findUndescribed(document: Json): string[] {
  const operations = Object.entries(Object(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).map(([method, operation]) => ({
      at: `${method.toUpperCase()} ${path}`,
      ...Object(operation),
    })),
  );
  const inOperations = operations.flatMap(({ at, parameters, requestBody, responses }) => [
    ...listOf(parameters).flatMap((given) => {
      const { name, description, schema } = resolveReference(document, given);
      const place = `${at}: parameter ${name}`;
      return [...(isText(description) ? [] : [place]), ...inSchema(schema, place)];
    }),
    ...inContent(requestBody, `${at}: body`),
    ...Object.entries(Object(responses)).flatMap(([status, response]) =>
      inContent(response, `${at}: answer ${status}`),
    ),
  ]);
  const { schemas, responses } = Object(document["components"]);
  const inComponents = [
    ...Object.entries(Object(schemas)).flatMap(([name, schema]) => inSchema(schema, name)),
    ...Object.entries(Object(responses)).flatMap(([name, given]) => inContent(given, name)),
  ];
  return [...new Set([...inOperations, ...inComponents])];

  function inContent(holder: unknown, at: string): string[] {
    return Object.values(Object(Object(holder)["content"])).flatMap((content) =>
      inSchema(Object(content)["schema"], at),
    );
  }

  function inSchema(schema: unknown, at: string): string[] {
    const { properties, items, additionalProperties, anyOf, oneOf, allOf } = Object(schema);
    const own = Object.entries(Object(properties)).flatMap(([name, property]) => {
      const place = `${at}.${name}`;
      const { description } = resolveReference(document, property);
      return [...(isText(description) ? [] : [place]), ...inSchema(property, place)];
    });
    const choices = [anyOf, oneOf, allOf].flat();
    const inner = [items, additionalProperties].filter((each) => typeof each === "object");
    return [
      ...own,
      ...inner.flatMap((each) => inSchema(each, `${at}[]`)),
      ...choices.flatMap((each) => (each === undefined ? [] : inSchema(each, at))),
    ];
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A sentence, not the field's name again. */
function isText(description: unknown): boolean {
  return typeof description === "string" && description.trim().includes(" ");
}
