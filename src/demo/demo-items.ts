import type { Role } from '../platform/access/roles';
import type { CreateAudience } from '../resources/audiences/audience.record';
import type { Described } from '../common/openapi/responses';
import type { Config } from '../config/config';
import type { EnvironmentFields } from '../resources/environments/environments.service';
import type { CreateGoal } from '../resources/goals/goal.record';
import type { CreatePage } from '../resources/pages/page.record';

/* The demo records, except for experiments. */

/** Ids of created records, by collection and name. */
export type Ids = Record<string, Record<string, number>>;

/** The id of a created record. @throws Error if the demo has no record with this name */
export function idOf(ids: Ids, collection: string, name: string): number {
  const id = ids[collection]?.[name];
  if (id === undefined) {
    throw new Error(`The demo has no ${collection} named ${name}.`);
  }
  return id;
}

export const TEAM = 'Demo';
export const PROJECT = 'Shop';
export const ADMIN = 'admin@demo.example';
/** Path on the server's origin that redirects to the shop. */
export const SHOP_ALIAS = '/demo';

export interface DemoUser {
  email: string;
  name: string;
  role: Role;
}

/** The demo users. The administrator is last: when this user is in the team, the demo is complete. */
export const USERS: readonly DemoUser[] = [
  { email: 'viewer@demo.example', name: 'Vera Viewer', role: 'viewer' },
  { email: 'editor@demo.example', name: 'Edgar Editor', role: 'editor' },
  { email: 'publisher@demo.example', name: 'Petra Publisher', role: 'publisher' },
  { email: ADMIN, name: 'Ada Admin', role: 'admin' },
];

export const ENVIRONMENTS: readonly EnvironmentFields[] = [
  { name: 'Staging', code: "return location.hostname === 'staging.shop.example';", is_default: false },
];

const AUDIENCES: readonly CreateAudience[] = [
  {
    name: 'Mobile visitors',
    description: 'Phones and tablets.',
    conditions: { type: 'device', match: 'in', value: ['mobile', 'tablet'] },
  },
  {
    name: 'Returning visitors',
    description: 'Everyone who has visited before.',
    conditions: { type: 'visitor', value: 'returning' },
  },
  {
    name: 'Spring campaign',
    description: 'Visitors who followed a link of the spring campaign, in any channel except e-mail.',
    conditions: [
      'and',
      { type: 'query', name: 'utm_campaign', match: 'starts_with', value: 'spring' },
      ['not', { type: 'query', name: 'utm_medium', value: 'email' }],
    ],
  },
];

const anyOf = (paths: readonly string[]): CreatePage['conditions'] =>
  paths.map((value) => ({ match: 'simple', value, negate: false }));

const PAGES: readonly CreatePage[] = [
  { name: 'Home', conditions: anyOf(['/']) },
  {
    name: 'Product pages',
    description: 'Every product page, but not the gift card overview.',
    conditions: [
      { match: 'contains', value: '/products/', negate: false },
      { match: 'contains', value: '/products/gift-cards', negate: true },
    ],
  },
  {
    name: 'Checkout',
    conditions: anyOf(['/checkout']),
    activation: 'url_change',
  },
];

/** A goal of the demo. For a pageview goal, `page` is the name of its page. */
interface DemoGoal extends CreateGoal {
  page?: string;
}

const GOALS: readonly DemoGoal[] = [
  { name: 'Checkout viewed', type: 'pageview', page: 'Checkout' },
  { name: 'Added to cart', type: 'click', selector: '.product .add-to-cart' },
  {
    name: 'Order placed',
    type: 'custom',
    value_type: 'revenue',
    description: 'Sent by the shop, with the order amount.',
  },
  { name: 'Newsletter subscribed', type: 'custom' },
];

/** The records of each standard resource; other resources use the example in the reference. */
const BODIES: Readonly<Record<string, (ids: Ids) => readonly object[]>> = {
  audiences: () => AUDIENCES,
  pages: () => PAGES,
  goals: (ids) =>
    GOALS.map(({ page, ...goal }) =>
      page === undefined ? goal : { ...goal, page_id: idOf(ids, 'pages', page) },
    ),
};

/** The records of a resource, given the previously created records. */
export const demoBodies = (collection: string, input: Described, ids: Ids): readonly object[] =>
  BODIES[collection]?.(ids) ?? [input.example as object];

/** The shop's URL without a trailing slash; a redirecting URL if only the running server knows its port. */
export const shopUrl = ({ demoUrl, publicUrl }: Config): string => demoUrl ?? `${publicUrl}${SHOP_ALIAS}`;
