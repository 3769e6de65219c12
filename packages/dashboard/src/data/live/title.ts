/** What the tab of the browser says: the screen, and with a dot that something new waits on it. */

let screen = "";
let waitingLists = 0;
/** Something on the page has changed while nobody saw it. */
let isUnseen = false;

function show(): void {
  const dot = isUnseen || waitingLists > 0 ? "● " : "";
  if (screen !== "") document.title = `${dot}${screen} · Jackfield`;
}

export function nameScreen(title: string): void {
  screen = title;
  show();
}

/** Until the page is looked at, which then reads again what has changed. */
export function noteUnseen(): void {
  isUnseen = true;
  show();
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") return;
  isUnseen = false;
  show();
});

/** Gives what ends it. */
export function noteWaitingList(): () => void {
  waitingLists += 1;
  show();
  return () => {
    waitingLists -= 1;
    show();
  };
}
