import type { Page } from "playwright-core";

/**
 * What a look at the page, and at what is open on it, would find: wider than the window, columns out of sight, buttons of
 * a dialog below its fold, labels that are cut or take two lines, controls that cover or touch one another, parts that are
 * being read and do not look so, and texts that nobody would write.
 */
export async function findFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(untilAtRest);
  const faults: unknown = await page.evaluate(inPage);
  if (!Array.isArray(faults)) throw new Error(`the page did not say: ${String(faults)}`);
  return faults.map(String);
}

/** Below this width lists scroll sideways by themselves. */
const NARROW = 1100;
/** What is nearer than this in pixels looks as if it were one. */
const LEAST_GAP = 3;
/** Tops of two lines are further apart than those of a sign and a text in one line. */
const LINE = 14;

/** What is still appearing is not seen yet. What turns while work runs has no end and is not waited for. */
const untilAtRest = `Promise.all(
  document
    .getAnimations()
    .filter(({ effect, playState }) => playState === "running" && effect.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished.catch(() => undefined)),
).then(() => undefined)`;

const inPage = String.raw`(() => {
  const faults = [];
  const all = (selector) =>
    [...document.querySelectorAll(selector)].filter((one) => {
      const { width, height } = one.getBoundingClientRect();
      const isSeen = one.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true });
      // A native select lies behind the list that stands for it.
      return isSeen && width > 2 && height > 2 && one.closest("[aria-hidden=true]") === null;
    });
  const nameOf = (one) =>
    (one.ariaLabel || one.innerText || one.name || one.className || one.tagName).trim().slice(0, 60);
  const layerOf = (one) => one.closest(".dialog, .popover");
  const isCut = (one) => one.scrollWidth > one.clientWidth + 1;

  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is too wide");
  for (const one of all(".table-scroll, .plain-table, .card")) {
    const scrolls = innerWidth < ${NARROW} && !one.matches(".card");
    if (isCut(one) && !scrolls) {
      const name = one.querySelector("table")?.ariaLabel || nameOf(one);
      faults.push("cut: " + name + ", " + one.scrollWidth + " of " + one.clientWidth);
    }
  }
  for (const one of all(".dialog, .popover")) {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    if (isCut(one)) faults.push("cut: " + nameOf(one));
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) faults.push("out of the window: " + nameOf(one));
    if (one.querySelectorAll("[role=tabpanel]:not([inert])").length > 1) faults.push("two panels at once: " + nameOf(one));
  }
  for (const one of all(".dialog")) {
    const last = [...one.querySelectorAll(".button.primary, .button.danger, .button[type=submit]")].at(-1);
    const isBelow = last !== undefined && last.getBoundingClientRect().bottom > one.getBoundingClientRect().bottom;
    if (isBelow) faults.push("below the fold: " + nameOf(last));
  }
  for (const one of all(".choice-button[aria-expanded=true]")) {
    const [list] = all(".popover [role=listbox]");
    if (list === undefined) {
      faults.push("open without its list: " + nameOf(one));
      continue;
    }
    const narrower = one.offsetWidth - list.closest(".popover").offsetWidth;
    if (narrower > 1) faults.push("narrower than its field: " + nameOf(list));
  }
  for (const one of all(".table td:has(.mono)")) {
    if (isCut(one) && one.textContent.includes("…")) faults.push("cut twice: " + nameOf(one));
  }
  for (const one of all(".table-scroll")) {
    if (innerWidth >= 1280 && one.scrollWidth > one.clientWidth + 1) {
      faults.push("scrolls sideways by " + (one.scrollWidth - one.clientWidth) + ": " + nameOf(one));
    }
  }
  for (const one of all(".fault:not(ul)")) {
    if (/^[a-z]/.test(one.innerText.trim())) faults.push("no sentence: " + nameOf(one));
  }
  for (const one of all(".card[aria-busy=true]")) {
    if (one.querySelector(".skeleton") === null) faults.push("busy without a sign: " + nameOf(one));
  }
  for (const one of all(".card > .banner")) {
    const inner = one.getBoundingClientRect().left - one.parentElement.getBoundingClientRect().left;
    if (inner < 4) faults.push("on the edge of its card: " + nameOf(one));
  }
  for (const one of all(".drawer-body > .banner")) {
    const above = one.getBoundingClientRect().top - one.parentElement.getBoundingClientRect().top;
    if (above < 4 && one.parentElement.scrollTop === 0) faults.push("on the head of its panel: " + nameOf(one));
  }
  for (const one of all(".button")) {
    const mine = one.getBoundingClientRect();
    const frame = one.closest(".banner, .card, .dialog");
    const isOut = frame !== null && mine.right > frame.getBoundingClientRect().right;
    if (isOut && one.closest(".plain-table, .table-scroll, .tabs") === null) faults.push("out of its frame: " + nameOf(one));
    for (const other of all(".button, .code, .plain-table")) {
      const its = other.getBoundingClientRect();
      const isBeside = mine.left < its.right && its.left < mine.right && layerOf(one) === layerOf(other);
      const gaps = [its.top - mine.bottom, mine.top - its.bottom];
      if (isBeside && gaps.some((gap) => gap > -1 && gap < ${LEAST_GAP})) {
        faults.push("touching: " + nameOf(one) + ", " + nameOf(other));
      }
    }
  }
  for (const one of all("main .button, .dialog .button, .badge, nav a, .tab, .table th, h1")) {
    const cell = one.closest(".table td");
    const isClipped = cell !== null && one.matches(".badge") && one.getBoundingClientRect().width > cell.clientWidth - 24;
    const isOver = isCut(one) && (one.matches(".button") || getComputedStyle(one).overflowX !== "visible");
    if (isOver || (isClipped && one.scrollWidth > cell.clientWidth - 24)) faults.push("cut: " + nameOf(one));
    // A long title takes more lines, and on a phone a long state does.
    if (one.matches("h1") || (one.matches(".badge") && innerWidth < ${NARROW})) continue;
    const range = document.createRange();
    range.selectNodeContents(one);
    const tops = [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => top);
    if (Math.max(...tops) - Math.min(...tops) > ${LINE}) faults.push("two lines: " + nameOf(one));
  }
  // A link within a text takes the room of its lines.
  const controls = all("main button, main a[href], main input, main select, main textarea").filter(
    (one) => getComputedStyle(one).display !== "inline",
  );
  for (const [place, one] of controls.entries()) {
    const mine = one.getBoundingClientRect();
    for (const other of controls.slice(place + 1, place + 30)) {
      // A button may be within a field.
      if (one.contains(other) || one.matches("input, textarea")) continue;
      // What a bar covers that stays in view can be scrolled out from below it.
      if (one.closest(".stays") !== other.closest(".stays")) continue;
      const its = other.getBoundingClientRect();
      const width = Math.min(mine.right, its.right) - Math.max(mine.left, its.left);
      const height = Math.min(mine.bottom, its.bottom) - Math.max(mine.top, its.top);
      if (width > 2 && height > 2) faults.push("covered: " + nameOf(one) + ", " + nameOf(other));
    }
  }
  const odd = /\bundefined\b|\bNaN\b|\[object \w+\]|Invalid Date|\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|[^./]\.\.(?![./])/g;
  const main = document.querySelector("main").cloneNode(true);
  // Bodies and code are shown as they are.
  for (const one of main.querySelectorAll("pre, code, textarea, .code")) one.remove();
  faults.push(...(main.textContent.match(odd) ?? []).map((one) => "odd text: " + one));
  return [...new Set(faults)];
})()`;
