import { findOpener } from "../opener.ts";
import { takePageParameters } from "../page-parameters.ts";
import { findHost } from "../platform.ts";
import { startPage } from "../start-page.tsx";
import { ManagePage } from "./manage-page.tsx";
import "../styles/manage.css";

const parameters = takePageParameters();
const opener = findOpener(parameters.openerOrigin);
await startPage(
  { parameters, isFrame: opener.isFrame },
  <ManagePage host={findHost()} parameters={parameters} opener={opener} />,
);
