import { google, microsoft } from "./office-meanings.ts";
import type { Meaning, Meanings } from "./scope.ts";

/** Of OpenID Connect and OAuth, with every provider. */
const everywhere: Meanings = {
  openid: "see account",
  profile: "see profile",
  email: "see emailAddress",
  address: "see address",
  phone: "see phone",
  offline_access: "keep",
};

const slack: Meanings = {
  "users:read": "see members",
  "users:read.email": "see members",
  "users.profile:read": "see profile",
  "team:read": "see organization",
  "channels:read": "see channels",
  "channels:history": "see messages",
  "channels:join": "change channels",
  "channels:manage": "change channels",
  "groups:read": "see channels",
  "groups:history": "see messages",
  "im:read": "see conversations",
  "im:history": "see conversations",
  "mpim:read": "see conversations",
  "mpim:history": "see conversations",
  "chat:write": "send messages",
  "chat:write.public": "send messages",
  "files:read": "see files",
  "files:write": "change files",
  "search:read": "see messages",
};

const hubspot: Meanings = {
  oauth: "see account",
  "crm.objects.contacts.read": "see contacts",
  "crm.objects.contacts.write": "change contacts",
  "crm.objects.companies.read": "see companies",
  "crm.objects.companies.write": "change companies",
  "crm.objects.deals.read": "see deals",
  "crm.objects.deals.write": "change deals",
  "crm.objects.leads.read": "see leads",
  "crm.objects.leads.write": "change leads",
  "crm.objects.line_items.read": "see orders",
  "crm.objects.quotes.read": "see deals",
  "crm.objects.owners.read": "see users",
  "crm.schemas.contacts.read": "see contacts",
  "crm.schemas.companies.read": "see companies",
  "crm.schemas.deals.read": "see deals",
  "crm.lists.read": "see contacts",
  "crm.lists.write": "change contacts",
  "conversations.read": "see conversations",
  "conversations.write": "change conversations",
  "settings.users.read": "see users",
  "settings.users.write": "change users",
  tickets: "change tickets",
  forms: "change forms",
  files: "change files",
  content: "change posts",
  automation: "change workflows",
};

const salesforce: Meanings = {
  api: "change everything",
  full: "change everything",
  refresh_token: "keep",
  id: "see account",
};

const github: Meanings = {
  repo: "change repositories",
  public_repo: "change repositories",
  "repo:status": "change repositories",
  workflow: "change workflows",
  "read:user": "see profile",
  user: "change profile",
  "user:email": "see emailAddress",
  "read:org": "see organization",
  notifications: "see notifications",
  gist: "add notes",
  project: "change issues",
  "read:project": "see issues",
  "admin:repo_hook": "change webhooks",
  "write:repo_hook": "change webhooks",
};

const gitlab: Meanings = {
  api: "change everything",
  read_api: "see everything",
  read_user: "see profile",
  read_repository: "see repositories",
  write_repository: "change repositories",
};

const atlassian: Meanings = {
  "read:me": "see profile",
  "read:jira-user": "see users",
  "read:jira-work": "see issues",
  "write:jira-work": "change issues",
  "manage:jira-webhook": "change webhooks",
  "manage:jira-project": "change issues",
  "read:confluence-content.all": "see documents",
  "read:confluence-space.summary": "see documents",
  "write:confluence-content": "change documents",
  "search:confluence": "see documents",
};

const linear: Meanings = {
  read: "see issues",
  write: "change issues",
  "issues:create": "add issues",
};

const zoom: Meanings = {
  "user:read": "see profile",
  "meeting:read": "see meetings",
  "meeting:write": "change meetings",
  "recording:read": "see calls",
  "webinar:read": "see meetings",
};

const shopify: Meanings = {
  read_orders: "see orders",
  write_orders: "change orders",
  read_all_orders: "see orders",
  read_products: "see products",
  write_products: "change products",
  read_inventory: "see products",
  write_inventory: "change products",
  read_customers: "see customers",
  write_customers: "change customers",
  read_fulfillments: "see orders",
  read_draft_orders: "see orders",
  read_analytics: "see analytics",
  read_content: "see posts",
};

const dropbox: Meanings = {
  "account_info.read": "see profile",
  "files.metadata.read": "see files",
  "files.content.read": "see files",
  "files.content.write": "change files",
  "sharing.read": "see files",
  "sharing.write": "change files",
};

const box: Meanings = { root_readonly: "see files", root_readwrite: "change files" };

const quickbooks: Meanings = {
  "com.intuit.quickbooks.accounting": "change invoices",
  "com.intuit.quickbooks.payment": "change payments",
};

const xero: Meanings = {
  "accounting.transactions": "change invoices",
  "accounting.transactions.read": "see invoices",
  "accounting.contacts": "change contacts",
  "accounting.contacts.read": "see contacts",
  "accounting.settings": "change settings",
  "accounting.settings.read": "see settings",
  "accounting.reports.read": "see analytics",
  "accounting.attachments": "change files",
  "payroll.employees": "change employees",
};

const stripe: Meanings = { read_write: "change everything", read_only: "see everything" };

const discord: Meanings = {
  identify: "see profile",
  "messages.read": "see messages",
};

const linkedin: Meanings = {
  r_liteprofile: "see profile",
  r_basicprofile: "see profile",
  r_emailaddress: "see emailAddress",
  w_member_social: "add posts",
  r_organization_social: "see posts",
  w_organization_social: "add posts",
  r_ads: "see ads",
  rw_ads: "change ads",
  r_ads_reporting: "see analytics",
};

const facebook: Meanings = {
  public_profile: "see profile",
  pages_show_list: "see channels",
  pages_read_engagement: "see posts",
  pages_manage_posts: "change posts",
  ads_read: "see ads",
  ads_management: "change ads",
  leads_retrieval: "see leads",
  instagram_basic: "see posts",
  instagram_content_publish: "add posts",
  business_management: "change organization",
};

const spotify: Meanings = {
  "user-read-email": "see emailAddress",
  "user-read-private": "see profile",
  "user-library-read": "see playlists",
  "user-library-modify": "change playlists",
  "playlist-read-private": "see playlists",
  "playlist-modify-private": "change playlists",
  "playlist-modify-public": "change playlists",
  "user-read-recently-played": "see history",
};

const twitter: Meanings = {
  "tweet.read": "see posts",
  "tweet.write": "add posts",
  "users.read": "see profile",
  "offline.access": "keep",
  "dm.read": "see conversations",
  "dm.write": "send messages",
};

const intercom: Meanings = {
  read_conversations: "see conversations",
  write_conversations: "change conversations",
  read_users: "see contacts",
  write_users: "change contacts",
};

const zendesk: Meanings = {
  read: "see everything",
  write: "change everything",
  "tickets:read": "see tickets",
  "tickets:write": "change tickets",
  "users:read": "see contacts",
  "users:write": "change contacts",
};

const airtable: Meanings = {
  "data.records:read": "see sheets",
  "data.records:write": "change sheets",
  "data.recordComments:read": "see comments",
  "data.recordComments:write": "change comments",
  "schema.bases:read": "see sheets",
  "schema.bases:write": "change sheets",
  "user.email:read": "see emailAddress",
  "webhook:manage": "change webhooks",
};

const pipedrive: Meanings = {
  base: "see profile",
  "deals:read": "see deals",
  "deals:full": "change deals",
  "contacts:read": "see contacts",
  "contacts:full": "change contacts",
  "leads:read": "see leads",
  "leads:full": "change leads",
  "activities:read": "see activity",
  "activities:full": "change activity",
  "users:read": "see users",
  "mail:read": "see emails",
};

const figma: Meanings = {
  "file_content:read": "see designs",
  "files:read": "see designs",
  "file_comments:read": "see comments",
  "file_comments:write": "add comments",
  "current_user:read": "see profile",
};

const docusign: Meanings = {
  signature: "change documents",
  extended: "keep",
  impersonation: "keep",
};

const typeform: Meanings = {
  "accounts:read": "see profile",
  "forms:read": "see forms",
  "forms:write": "change forms",
  "responses:read": "see forms",
  "webhooks:write": "change webhooks",
  offline: "keep",
};

/** By the beginning of a provider's id. */
const byProvider: readonly (readonly [string, Meanings])[] = [
  ["google", google],
  ["youtube", google],
  ["microsoft", microsoft],
  ["outlook", microsoft],
  ["one-drive", microsoft],
  ["sharepoint", microsoft],
  ["slack", slack],
  ["hubspot", hubspot],
  ["salesforce", salesforce],
  ["github", github],
  ["gitlab", gitlab],
  ["jira", atlassian],
  ["confluence", atlassian],
  ["atlassian", atlassian],
  ["linear", linear],
  ["zoom", zoom],
  ["shopify", shopify],
  ["dropbox", dropbox],
  ["box", box],
  ["quickbooks", quickbooks],
  ["intuit", quickbooks],
  ["xero", xero],
  ["stripe", stripe],
  ["discord", discord],
  ["linkedin", linkedin],
  ["facebook", facebook],
  ["instagram", facebook],
  ["spotify", spotify],
  ["twitter", twitter],
  ["intercom", intercom],
  ["zendesk", zendesk],
  ["airtable", airtable],
  ["pipedrive", pipedrive],
  ["figma", figma],
  ["docusign", docusign],
  ["typeform", typeform],
];

/** What a scope of this provider allows; undefined where only its own documentation says. */
export function findMeaning(provider: string, scope: string): Meaning | undefined {
  const [, own] = byProvider.find(([id]) => provider === id || provider.startsWith(`${id}-`)) ?? [];
  const name = toName(scope);
  return (own === undefined ? undefined : find(own, name)) ?? find(everywhere, name);
}

function find(meanings: Meanings, name: string): Meaning | undefined {
  if (Object.hasOwn(meanings, name)) return meanings[name];
  const lower = name.toLowerCase();
  return Object.hasOwn(meanings, lower) ? meanings[lower] : undefined;
}

/** Google and Microsoft may write the address of their API before the name. */
function toName(scope: string): string {
  const [, name] =
    /^https:\/\/(?:www\.googleapis\.com\/auth|graph\.microsoft\.com)\/(.+)$/.exec(scope) ?? [];
  return name ?? (scope === "https://mail.google.com/" ? "gmail.modify" : scope);
}
