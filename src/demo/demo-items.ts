import type { Role } from '../access/roles';
import type { CreateAudience } from '../audiences/audience.dto';
import type { EnvironmentFields } from '../environments/environments.service';
import type { CreateGoal } from '../goals/goal.dto';
import type { CreatePage } from '../pages/page.dto';

/* What the demo consists of, apart from its experiments. */

export const TEAM = 'Demo';
export const PROJECT = 'Shop';
export const ADMIN = 'admin@demo.example';
/** Where the server shows the shop. The definitions also fit the invented shop that the demo's events come from. */
export const SHOP_PATH = '/demo';

export interface DemoUser {
  email: string;
  name: string;
  role: Role;
}

/** The administrator is last: with them in the team the demo is complete. */
export const USERS: readonly DemoUser[] = [
  { email: 'viewer@demo.example', name: 'Vera Viewer', role: 'viewer' },
  { email: 'editor@demo.example', name: 'Edgar Editor', role: 'editor' },
  { email: 'publisher@demo.example', name: 'Petra Publisher', role: 'publisher' },
  { email: ADMIN, name: 'Ada Admin', role: 'admin' },
];

export const ENVIRONMENTS: readonly EnvironmentFields[] = [
  { name: 'Staging', code: "return location.hostname === 'staging.shop.example';", is_default: false },
];

export const AUDIENCES: readonly CreateAudience[] = [
  {
    name: 'Mobile visitors',
    description: 'Phones and tablets.',
    conditions: { type: 'device', match: 'in', value: ['mobile', 'tablet'] },
  },
  {
    name: 'Returning visitors',
    description: 'Everyone who has been here before.',
    conditions: { type: 'visitor', value: 'returning' },
  },
  {
    name: 'Spring campaign',
    description: 'Visitors who came by a link of the spring campaign, in any channel but e-mail.',
    conditions: [
      'and',
      { type: 'query', name: 'utm_campaign', match: 'starts_with', value: 'spring' },
      ['not', { type: 'query', name: 'utm_medium', value: 'email' }],
    ],
  },
];

const anyOf = (paths: readonly string[]): CreatePage['conditions'] =>
  paths.map((value) => ({ match: 'simple', value, negate: false }));

export const PAGES: readonly CreatePage[] = [
  { name: 'Home', conditions: anyOf(['/', SHOP_PATH]) },
  {
    name: 'Product pages',
    description: 'Every product, but not the overview of gift cards.',
    conditions: [
      { match: 'contains', value: '/products/', negate: false },
      { match: 'contains', value: '/products/gift-cards', negate: true },
    ],
  },
  {
    name: 'Checkout',
    conditions: anyOf(['/checkout', `${SHOP_PATH}/checkout`]),
    activation: 'url_change',
  },
];

/** A goal that is reached on a page names the page. */
export interface DemoGoal extends CreateGoal {
  page?: string;
}

export const GOALS: readonly DemoGoal[] = [
  { name: 'Checkout viewed', type: 'pageview', page: 'Checkout' },
  { name: 'Added to cart', type: 'click', selector: '.product .add-to-cart' },
  {
    name: 'Order placed',
    type: 'custom',
    value_type: 'revenue',
    description: 'Sent by the shop, with the amount.',
  },
  { name: 'Newsletter subscribed', type: 'custom' },
];
