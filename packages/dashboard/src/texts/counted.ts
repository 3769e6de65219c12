/** How many of something; the number is formatted already, or small. */
export function counted(count: string | number, one: string, several = `${one}s`): string {
  return String(count) === "1" ? `1 ${one}` : `${count} ${several}`;
}
