// One line for each function of this project; a function that is not listed here is not deployed.
import "./hubspot/syncs/contacts.js";
import "./hubspot/syncs/deals.js";
import "./hubspot/actions/create-contact.js";
import "./hubspot/on-events/check-account.js";
import "./github/syncs/issues.js";
import "./github/actions/create-issue.js";
import "./github/on-events/register-webhook.js";
import "./xero/syncs/invoices.js";
import "./xero/syncs/accounts.js";
import "./stripe/syncs/charges.js";
import "./stripe/actions/create-refund.js";
import "./google-drive/syncs/files.js";
import "./google-drive/actions/download-file.js";
