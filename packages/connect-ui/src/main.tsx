import { ConnectPage } from "./connect-page.tsx";
import { findOpener } from "./opener.ts";
import { takePageParameters } from "./page-parameters.ts";
import { findHost } from "./platform.ts";
import { startPage } from "./start-page.tsx";

const parameters = takePageParameters();
const opener = findOpener(parameters.openerOrigin);
await startPage(
  { parameters, isFrame: opener.isFrame },
  <ConnectPage host={findHost()} parameters={parameters} opener={opener} />,
);
