export const WIDTH = 100;
export const HEIGHT = 24;
/** Room for the line's own width at the top and at the bottom. */
const EDGE = 2;

/** From nothing to the highest value; a single value between gaps is a dot. */
export function lineOf(values: readonly (number | null)[]): string {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const step = WIDTH / Math.max(1, values.length - 1);
  let isDrawing = false;
  return values
    .map((value, place) => {
      if (value === null) {
        isDrawing = false;
        return "";
      }
      const x = (place * step).toFixed(1);
      const y = (HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE)).toFixed(1);
      const part = isDrawing ? `L${x} ${y}` : `M${x} ${y}h0`;
      isDrawing = true;
      return part;
    })
    .join("");
}
