import { useSyncExternalStore } from "react";

const SHOWN_MS = 1800;

let note = "";
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Says for a moment what a key has done. */
export function noteKey(text: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => set(""), SHOWN_MS);
  set(text);
}

function set(text: string): void {
  note = text;
  for (const listener of listeners) listener();
}

export function KeyNote() {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => note,
  );
  return (
    <output className="key-note" data-shown={text !== ""}>
      {text}
    </output>
  );
}
