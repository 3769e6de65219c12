import { lazy, Suspense } from "react";
import { useTexts } from "../../texts/use-texts.ts";
import type { EditorProps } from "./code-editor.tsx";

const CodeEditor = lazy(async () => ({
  default: (await import("./code-editor.tsx")).CodeEditor,
}));

/** JSON that is typed, with what is wrong with it; the editor's code is loaded when one is shown. */
export function JsonInput({ fault, ...props }: EditorProps & { fault?: string | undefined }) {
  const { shell } = useTexts();
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
        <CodeEditor {...props} />
      </Suspense>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
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
