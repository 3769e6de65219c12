interface Words {
  readonly loading: string;
  readonly close: string;
}

const english: Words = { loading: "Loading…", close: "Close" };

const words: Readonly<Record<string, Words>> = {
  de: { loading: "Wird geladen…", close: "Schließen" },
  en: english,
  es: { loading: "Cargando…", close: "Cerrar" },
  fr: { loading: "Chargement…", close: "Fermer" },
  ja: { loading: "読み込み中…", close: "閉じる" },
};

/** What the overlay shows until the hosted page is loaded: a spinner, and a button that closes it. */
export function newLoadingView(lang: string | undefined, close: () => void): HTMLElement {
  const { loading, close: label } =
    words[(lang ?? navigator.language).slice(0, 2).toLowerCase()] ?? english;
  const view = document.createElement("div");
  view.dataset["jackfield"] = "loading";
  // Styles of their own: a policy of the customer's page may forbid style sheets that scripts add.
  Object.assign(view.style, {
    position: "fixed",
    inset: "0",
    display: "grid",
    placeItems: "center",
    background: "rgb(15 20 28 / 45%)",
  });
  const status = document.createElement("div");
  status.setAttribute("role", "status");
  status.setAttribute("aria-label", loading);
  status.append(newSpinner());
  view.append(status, newCloseButton(label, close));
  return view;
}

function newSpinner(): HTMLElement {
  const spinner = document.createElement("div");
  Object.assign(spinner.style, {
    width: "40px",
    height: "40px",
    boxSizing: "border-box",
    border: "4px solid rgb(255 255 255 / 35%)",
    borderTopColor: "#fff",
    borderRadius: "50%",
  });
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const turn = [{ transform: "rotate(0turn)" }, { transform: "rotate(1turn)" }];
  if (!isStill) {
    spinner.animate(turn, { duration: 900, iterations: Number.POSITIVE_INFINITY });
  }
  return spinner;
}

function newCloseButton(label: string, close: () => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  // Focus in the frame would keep Escape from the overlay.
  button.autofocus = true;
  button.setAttribute("aria-label", label);
  button.textContent = "×";
  Object.assign(button.style, {
    position: "fixed",
    insetBlockStart: "16px",
    insetInlineEnd: "16px",
    width: "44px",
    height: "44px",
    border: "0",
    borderRadius: "50%",
    background: "#fff",
    color: "#0f141c",
    font: "24px/1 system-ui, sans-serif",
    cursor: "pointer",
  });
  button.addEventListener("click", close);
  return button;
}
