/** Letters, digits, `_`, `-` and `$`, and at most six digits: what looks like a field and not like data. */
export function isFieldName(name: string): boolean {
  if (!/^[A-Za-z_$][\w$-]{0,63}$/.test(name)) return false;
  return name.replace(/\D/g, "").length <= 6;
}
