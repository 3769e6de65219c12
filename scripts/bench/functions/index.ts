import "./bench/actions/host-calls.ts";
import "./bench/actions/ping.ts";
import "./bench/actions/stain.ts";
import "./bench/syncs/save.ts";
import "./bench/syncs/save-checked.ts";
import "./bench/syncs/save-large.ts";
