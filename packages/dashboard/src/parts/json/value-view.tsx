import { type ComponentType, lazy, Suspense, useState } from "react";
import { Button } from "react-aria-components/Button";
import { jsonTreeTexts } from "../../texts/screens/lists/json-tree.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { JsonView } from "../panels/json-view.tsx";
import { isNested } from "./json-members.ts";
import type { JsonTreeProps } from "./json-tree.tsx";

const JsonTree: ComponentType<JsonTreeProps> = lazy(async () => ({
  default: (await import("./json-tree.tsx")).JsonTree,
}));

/** What a run or a call gave: a tree to open and close, or its JSON as text. */
export function ValueView({ value, label }: { value: unknown; label: string }) {
  const texts = useTextsOf(jsonTreeTexts);
  const [isText, setText] = useState(false);
  const text = <JsonView label={label} value={value} />;
  if (!isNested(value)) return text;
  return (
    <>
      <div className="row padded">
        <Button className="button small" onPress={() => setText(!isText)}>
          {isText ? texts.asTree : texts.asText}
        </Button>
      </div>
      {isText ? (
        text
      ) : (
        <Suspense fallback={text}>
          <JsonTree label={label} value={value} />
        </Suspense>
      )}
    </>
  );
}
