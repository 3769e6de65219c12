import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  defaultHighlightStyle,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";

export interface EditorProps {
  readonly label: string;
  readonly value: string;
  /** `text`: without the structure of JSON. */
  readonly language?: "json" | "text";
  readonly isReadOnly?: boolean;
  readonly onChange: (value: string) => void;
  /** Where the structure of JSON breaks first, whenever that changes; nothing where it holds. */
  readonly onBreak?: (place: Place | undefined) => void;
}

/** Both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
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
  onBreak,
}: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const change = useRef(onChange);
  change.current = onChange;
  const broken = useRef(onBreak);
  broken.current = onBreak;
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
          language === "json" ? [json(), markBreak] : [],
          syntaxHighlighting(defaultHighlightStyle),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorState.readOnly.of(isReadOnly),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            change.current(update.state.doc.toString());
            if (language === "json") broken.current?.(placeOf(update.state));
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

/** Where the text stops being JSON; undefined also for one that is empty. */
function findBreak(state: EditorState): number | undefined {
  let found: number | undefined;
  if (state.doc.toString().trim() === "") return undefined;
  syntaxTree(state).iterate({
    enter: ({ type, from }) => {
      if (type.isError) found ??= from;
      return found === undefined;
    },
  });
  return found;
}

function placeOf(state: EditorState): Place | undefined {
  const at = findBreak(state);
  if (at === undefined) return undefined;
  const line = state.doc.lineAt(at);
  return { line: line.number, column: at - line.from + 1 };
}

const brokenLine = Decoration.line({ class: "cm-broken" });

/** The line of it. */
const markBreak = EditorView.decorations.compute(["doc"], (state) => {
  const at = findBreak(state);
  return at === undefined
    ? Decoration.none
    : Decoration.set(brokenLine.range(state.doc.lineAt(at).from));
});

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
  ".cm-broken": { backgroundColor: "var(--bad-ground)" },
  ".cm-content *": { color: "var(--text) !important" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    backgroundColor: "var(--run-ground) !important",
  },
});
