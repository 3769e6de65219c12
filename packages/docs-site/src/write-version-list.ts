/** The versions among the names of folders, the newest first. */
export function versionsAmong(names: readonly string[]): string[] {
  return names
    .filter((name) => /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(name))
    .toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
}

/** A page that links versions. */
export function writeVersionList(versions: readonly string[]): string {
  const items = versions.map((version) => `<li><a href="./${version}/">${version}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Jackfield documentation</title>
</head>
<body>
<main>
<h1>Jackfield documentation</h1>
<p>Choose the version that you run. <code>jackfield version</code> names it.</p>
<ul>
${items.join("\n")}
</ul>
</main>
</body>
</html>
`;
}
