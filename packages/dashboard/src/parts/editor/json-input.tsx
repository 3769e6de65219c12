import { lazy, Suspense, useState } from "react";
import { TextArea } from "react-aria-components/TextArea";
import { useTexts } from "../../texts/use-texts.ts";
import type { EditorProps, Place } from "./code-editor.tsx";

// What is in the form stays: without the code of the editor its text is typed into a plain field.
const CodeEditor = lazy(async () => ({
  default: await import("./code-editor.tsx").then(
    ({ CodeEditor: Loaded }) => Loaded,
    () => PlainEditor,
  ),
}));

function PlainEditor({ label, value, isReadOnly, onChange }: EditorProps) {
  return (
    <TextArea
      className="input mono"
      rows={12}
      aria-label={label}
      value={value}
      readOnly={isReadOnly}
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** JSON that is typed, with what is wrong with it and where; the editor's code is loaded when one is shown. */
export function JsonInput({
  fault,
  ...props
}: Omit<EditorProps, "onBreak"> & { fault?: string | undefined }) {
  const { shell, tables } = useTexts();
  const [place, setPlace] = useState<Place>();
  return (
    <div className="text-field">
      <span className="label" aria-hidden="true">
        {props.label}
      </span>
      <Suspense
        fallback={
          <p className="editor" role="status">
            {shell.loading}
          </p>
        }
      >
        <CodeEditor {...props} onBreak={setPlace} />
      </Suspense>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
          {place !== undefined &&
            !/line \d/.test(fault) &&
            ` ${tables.atPlace(place.line, place.column)}`}
        </p>
      )}
    </div>
  );
}

export type Parsed = { readonly value: unknown } | { readonly fault: string };

/** A value as JSON; nothing typed is no value. */
export function parseJson(text: string): Parsed {
  if (text.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: String(Object(error).message) };
  }
}
