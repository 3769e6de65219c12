export const style = `
:root { color-scheme: light dark; --ground: #fff; --card: #f5f6f8; --line: #dde1e7; --text: #1c2430; --soft: #55606f; --link: #1d5fbf; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground: #12161c; --card: #1c222b; --line: #343c48; --text: #eef1f5; --soft: #a5b0be; --link: #8ab8ff; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 14rem minmax(0, 1fr); background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: 1rem 0 0; padding: 0; }
nav a { display: block; padding: 0.15rem 0; }
main { padding: 1.5rem 2rem 4rem; max-width: 60rem; }
a { color: var(--link); }
h1 { font-size: 1.6rem; margin: 0 0 0.5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; }
h4 { font-size: 0.9rem; margin: 1rem 0 0.25rem; color: var(--soft); }
details { margin: 0 0 0.5rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--card); }
summary { padding: 0.5rem 0.75rem; cursor: pointer; overflow-wrap: anywhere; }
details > div { padding: 0 0.75rem 0.75rem; }
.method { display: inline-block; min-width: 4.5rem; font: 600 0.8rem ui-monospace, monospace; }
.soft { color: var(--soft); }
.old { color: var(--bad); font-size: 0.8rem; }
code, pre { font: 0.85rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: 0; padding: 0.75rem; overflow: auto; border: 1px solid var(--line); border-radius: 0.35rem; background: var(--ground); max-height: 26rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid var(--line); }
td:first-child code { overflow-wrap: normal; white-space: nowrap; }
@media (max-width: 45rem) { body { display: block; } nav { position: static; height: auto; padding: 1rem 1rem 0; border: 0; } nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0.5rem 0 0; } main { padding: 1rem 1rem 3rem; } }
`;
