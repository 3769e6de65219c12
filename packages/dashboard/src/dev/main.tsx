import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { queryClient } from "../data/query-client.ts";
import { paintTheme } from "../start/stored-preferences.ts";
import { DevPage } from "./dev-page.tsx";
import "../styles/index.css";

paintTheme();

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <DevPage />
    </QueryClientProvider>,
  );
}
