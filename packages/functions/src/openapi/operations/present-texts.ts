import { cleanText } from "../clean-text.ts";
import { textField } from "../json.ts";
import { type Operation, presentOperation } from "./operation.ts";

const TITLE = 100;

/** What an operation does, in words for a model, of at most so many characters. */
export function presentTexts(
  operation: Operation,
  most: number,
): { title: string; description: string } {
  const { definition, id } = operation;
  const summary = cleanText(textField(definition, "summary") ?? "", 200).replace(/\.$/, "");
  const more = cleanText(withoutTags(textField(definition, "description") ?? "", most), most);
  const call = cleanText(presentOperation(operation), TITLE);
  const isDeprecated = definition["deprecated"] === true;
  const texts = [
    ...(isDeprecated ? ["Deprecated."] : []),
    ...(summary === "" || more.startsWith(summary) ? [] : [`${summary}.`]),
    more,
  ];
  return {
    title: summary.slice(0, TITLE).trim() || cleanText(id ?? "", TITLE) || call,
    description: cleanText(texts.join(" "), most) || call,
  };
}

/** Some documents have descriptions in HTML. */
function withoutTags(text: string, most: number): string {
  return text.slice(0, most * 4).replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, " ");
}
