const style = `
:root { color-scheme: light; --ink: #16323f; --muted: #55707c; --line: #c9d6db; --accent: #0b6e7f; }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px;
  background: #eaf1f3; color: var(--ink); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { width: 100%; max-width: 400px; padding: 28px 24px; background: #fff; border-radius: 12px;
  border: 1px solid var(--line); box-shadow: 0 8px 24px rgb(22 50 63 / 8%); }
header { display: flex; align-items: center; gap: 10px; margin-bottom: 20px; font-weight: 600; }
header span { display: grid; place-items: center; width: 32px; height: 32px; border-radius: 8px;
  background: var(--accent); color: #fff; }
h1 { margin: 0 0 8px; font-size: 1.35rem; line-height: 1.3; overflow-wrap: anywhere; }
p { margin: 0 0 16px; color: var(--muted); overflow-wrap: anywhere; }
label { display: block; margin: 14px 0 4px; font-weight: 600; }
input { width: 100%; min-height: 44px; padding: 8px 12px; font: inherit; color: inherit;
  border: 1px solid #7d959f; border-radius: 8px; background: #fff; }
button { width: 100%; min-height: 44px; margin-top: 12px; padding: 8px 16px; font: inherit;
  font-weight: 600; border-radius: 8px; border: 1px solid var(--accent); background: var(--accent);
  color: #fff; cursor: pointer; }
form > button:first-of-type { margin-top: 22px; }
button.quiet { background: #fff; color: var(--accent); }
button:hover { filter: brightness(0.94); }
:focus-visible { outline: 3px solid #f2a541; outline-offset: 2px; }
ul { margin: 0 0 16px; padding: 12px 16px 12px 34px; background: #f3f7f8; border-radius: 8px; }
.error { padding: 10px 12px; border-radius: 8px; background: #fdecea; color: #8a1c12; }
.hint { margin: 18px 0 0; font-size: 0.875rem; }
h2 { margin: 20px 0 6px; font-size: 1rem; }
select { width: 100%; min-height: 44px; padding: 8px 12px; font: inherit; color: inherit;
  border: 1px solid #7d959f; border-radius: 8px; background: #fff; }
textarea { width: 100%; padding: 8px 12px; font: 0.85rem/1.4 ui-monospace, monospace; color: inherit;
  border: 1px solid #7d959f; border-radius: 8px; background: #fff; resize: vertical; }
label.switch { display: flex; align-items: center; gap: 10px; min-height: 44px; margin: 6px 0; font-weight: 400; }
label.switch input { flex: none; width: 20px; min-height: 20px; margin: 0; }
ul.error { padding-left: 34px; }
`;

/** The page on which a user of Harbor CRM signs in; `error` is shown above the fields. */
export function renderLoginPage(input: { email?: string; error?: string; hint: string }): string {
  const error =
    input.error === undefined ? "" : `<p class="error" role="alert">${escapeHtml(input.error)}</p>`;
  return renderPage(
    "Sign in",
    `<h1>Sign in to your account</h1>${error}
<form method="post">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escapeHtml(input.email ?? "")}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button name="action" value="sign-in">Sign in</button>
</form>
<p class="hint">${escapeHtml(input.hint)}</p>`,
  );
}

/** The page on which a user allows or denies a client what it asks for. */
export function renderConsentPage(input: {
  clientName: string;
  email: string;
  permissions: readonly string[];
}): string {
  const permissions = input.permissions.map((text) => `<li>${escapeHtml(text)}</li>`).join("");
  return renderPage(
    "Allow access",
    `<h1>${escapeHtml(input.clientName)} wants to use your account</h1>
<p>You are signed in as ${escapeHtml(input.email)}. If you allow it, the app can:</p>
<ul>${permissions}</ul>
<form method="post">
<button name="action" value="allow">Allow</button>
<button class="quiet" name="action" value="deny">Deny</button>
</form>`,
  );
}

/** The page for a request that cannot continue, such as an unknown redirect address. */
export function renderErrorPage(input: { title: string; message: string }): string {
  return renderPage(
    input.title,
    `<h1>${escapeHtml(input.title)}</h1><p>${escapeHtml(input.message)}</p>`,
  );
}

function renderPage(title: string, content: string): string {
  return renderVendorPage("Harbor CRM", title, content);
}

/** A page of a vendor; `content` is HTML. */
export function renderVendorPage(vendor: string, title: string, content: string): string {
  const name = escapeHtml(vendor);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} - ${name}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<header><span aria-hidden="true">${escapeHtml(vendor.slice(0, 1))}</span>${name}</header>
${content}
</main>
</body>
</html>
`;
}

const htmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it may stand in HTML, attributes included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => htmlEntities[character] ?? character);
}
