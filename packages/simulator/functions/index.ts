import "./hubspot/syncs/contacts.ts";
import "./hubspot/actions/create-contact.ts";
