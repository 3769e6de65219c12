/**
 * Puts a text on the clipboard; `false` when the browser refuses. Over plain HTTP browsers give a page no
 * `navigator.clipboard`, except on the machine itself: there the older command copies what a field has selected.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "hidden";
  field.setAttribute("aria-hidden", "true");
  // Inside of a dialog, which holds the focus.
  (focused?.parentElement ?? document.body).append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
