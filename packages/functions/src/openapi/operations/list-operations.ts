import type { OpenApiDocument } from "../document/openapi-document.ts";
import { follow, Unsupported } from "../document/references.ts";
import { isJsonObject, type JsonObject, objectField, textField, textsField } from "../json.ts";
import { toActionName } from "./action-name.ts";
import { type Method, methods, type Operation } from "./operation.ts";

/** All operations, in the order of the document, each with the name of its action. */
export function listOperations(document: OpenApiDocument): Operation[] {
  const taken = new Set<string>();
  return Object.entries(objectField(document.root, "paths") ?? {}).flatMap(([path, value]) => {
    const pathItem = findPathItem(document, value);
    return methods.flatMap((method) => {
      const definition = objectField(pathItem, method);
      if (definition === undefined) return [];
      return toOperation({ method, path, definition, pathItem }, taken);
    });
  });
}

function findPathItem(document: OpenApiDocument, value: unknown): JsonObject {
  try {
    return follow(document, value);
  } catch (error) {
    if (error instanceof Unsupported && isJsonObject(value)) return value;
    throw error;
  }
}

function toOperation(
  place: { method: Method; path: string; definition: JsonObject; pathItem: JsonObject },
  taken: Set<string>,
): Operation {
  const id = textField(place.definition, "operationId")?.trim() || undefined;
  const action = toActionName({ ...place, id }, taken);
  taken.add(action);
  return { ...place, id, action, tags: textsField(place.definition, "tags") };
}
