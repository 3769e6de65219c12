import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, defaultHighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";

export interface EditorProps {
  readonly label: string;
  readonly value: string;
  /** `text`: without the structure of JSON. */
  readonly language?: "json" | "text";
  readonly isReadOnly?: boolean;
  readonly onChange: (value: string) => void;
}

/**
 * JSON, or source text. It is in a shadow root, since the policy of the page takes its styles only as
 * adopted sheets. Tab leaves it, as everywhere.
 */
export function CodeEditor({
  label,
  value,
  language = "json",
  isReadOnly = false,
  onChange,
}: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const change = useRef(onChange);
  change.current = onChange;
  const first = useRef(value);
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          language === "json" ? json() : [],
          syntaxHighlighting(defaultHighlightStyle),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorState.readOnly.of(isReadOnly),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) change.current(update.state.doc.toString());
          }),
          look,
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, language, isReadOnly]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  return <div className="editor" ref={host} />;
}

/** The colours of the page, which reach into the shadow root. */
const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--card)", fontSize: "12px" },
  "&.cm-focused": { outline: "2px solid var(--focus)" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--text)", minHeight: "120px" },
  ".cm-gutters": {
    color: "var(--soft)",
    backgroundColor: "var(--raised)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-content *": { color: "var(--text) !important" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    backgroundColor: "var(--run-ground) !important",
  },
});
