const WIDTH = 24;
const FRAME_MS = 100;

/** What a long piece of work has done so far, on one line of a terminal; elsewhere nothing is shown. */
export interface Progress extends Disposable {
  /** `total` draws a bar; without it, only the text is shown. */
  show(text: string, done?: { readonly count: number; readonly total: number }): void;
}

export function startProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (stream.isTTY !== true) return { show: () => {}, [Symbol.dispose]: () => {} };
  let drawnAt = 0;
  let isDrawn = false;
  return {
    show(text, done) {
      const now = performance.now();
      const isLast = done !== undefined && done.count >= done.total;
      if (isDrawn && !isLast && now - drawnAt < FRAME_MS) return;
      drawnAt = now;
      isDrawn = true;
      const line = done === undefined ? text : `${drawBar(done)} ${text}`;
      stream.cursorTo(0);
      stream.write(line.slice(0, Math.max(10, (stream.columns || 80) - 1)));
      stream.clearLine(1);
    },
    [Symbol.dispose]() {
      if (!isDrawn) return;
      stream.cursorTo(0);
      stream.clearLine(0);
    },
  };
}

function drawBar({ count, total }: { count: number; total: number }): string {
  const full = total === 0 ? WIDTH : Math.round((Math.min(count, total) / total) * WIDTH);
  return `[${"=".repeat(full)}${" ".repeat(WIDTH - full)}] ${count}/${total}`;
}
