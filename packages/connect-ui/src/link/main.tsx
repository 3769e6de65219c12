import { findHost } from "../platform.ts";
import { startPage } from "../start-page.tsx";
import { LinkPage } from "./link-page.tsx";
import { takeLinkParameters } from "./link-parameters.ts";

const parameters = takeLinkParameters();
await startPage({ parameters }, <LinkPage host={findHost()} parameters={parameters} />);
