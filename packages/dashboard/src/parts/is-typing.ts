/** Whether the key is typed into a field or a code editor, where shortcuts do not apply. Code editors are in shadow roots. */
export function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest("input, textarea, select, [role=menu], [role=listbox]") !== null)
  );
}
