import { RESOURCES } from '../resources/registry';
import { WEBHOOKS } from '../webhooks/webhook-kind';

/** Writable resources come before read-only ones. */
const resources = [
  ...RESOURCES.filter(({ writes }) => writes !== undefined),
  ...RESOURCES.filter(({ writes }) => writes === undefined),
];

/** The tags of the reference, in reading order for a new reader. */
export const TAGS: Readonly<Record<string, string>> = {
  Teams: 'Groups of users. List your teams first to find everything else.',
  Members: 'The users of a team and their roles, for admins of the team.',
  Projects: 'A site or product, with its keys and its rules for results.',
  Experiments: 'Define, start, pause, clone and publish experiments.',
  Variations: 'The versions that an experiment shows to its visitors.',
  ...Object.fromEntries(resources.map(({ chapter, texts }) => [chapter, texts.chapter])),
  Results: 'The results of an experiment: statistics, daily figures, and shared results.',
  Visitors: 'The stored data of one visitor, for access and deletion requests.',
  [WEBHOOKS.chapter]: WEBHOOKS.texts.chapter,
  Delivery: 'The script for sites, and the payload for SDKs. Called with the client key of a project.',
  Decisions:
    'Assign variations to visitors, for back ends and SDKs. Called with the client key of a project.',
  Collection:
    'Receive exposures and conversions from sites and back ends. Called with the client key of a project.',
  Health: 'Health checks for operators.',
};
