/** Whether a key goes into what is typed, so that no shortcut may take it; code editors are in shadow roots. */
export function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest("input, textarea, select, [role=menu], [role=listbox]") !== null)
  );
}
