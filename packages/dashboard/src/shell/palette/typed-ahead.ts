/** What was typed between the key that opens the palette and the palette itself, whose code may have to be loaded. */
export interface TypedAhead {
  readonly text: string;
  /** Enter was pressed after it. */
  readonly isSent: boolean;
}

const nothing: TypedAhead = { text: "", isSent: false };

/** Code that takes longer has not come at all: keys then are those of the page again. */
const LONGEST_MS = 10_000;

let typed = nothing;
let isHeld = false;
let timer: ReturnType<typeof setTimeout> | undefined;

function hold(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter") typed = { ...typed, isSent: true };
  else if (event.key === "Backspace") typed = { ...typed, text: typed.text.slice(0, -1) };
  else if (event.key.length === 1) typed = { ...typed, text: typed.text + event.key };
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Keeps keys until the palette takes them. */
export function holdTyping(): void {
  if (isHeld) return;
  isHeld = true;
  typed = nothing;
  window.addEventListener("keydown", hold, true);
  timer = setTimeout(takeTyped, LONGEST_MS);
}

/** What was kept; from here on keys go where they belong. */
export function takeTyped(): TypedAhead {
  const taken = isHeld ? typed : nothing;
  isHeld = false;
  clearTimeout(timer);
  window.removeEventListener("keydown", hold, true);
  return taken;
}
