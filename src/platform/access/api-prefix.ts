import { type INestApplication, RequestMethod } from '@nestjs/common';

const PREFIX = 'api';

/** The path to which an OpenID Connect provider redirects browsers after sign-in. */
export const OPENID_CALLBACK = 'login/oidc/callback';

/** HTML pages. */
const PAGES = [
  '/',
  'experiments',
  'login',
  'login/oidc',
  OPENID_CALLBACK,
  'logout',
  'invitation/:token',
  'settings/*page',
  'assets/*file',
];

/**
 * Pages of projects and teams share their paths with the API. Their declared paths end with a slash to distinguish
 * them. The server accepts URLs with and without the slash.
 */
const PROJECT_PAGES = [
  'projects/:project/',
  'projects/:project/edit/',
  'projects/:project/settings/edit/',
  'projects/:project/settings/environments/add/',
  'projects/:project/settings/environments/:environment/edit/',
  'projects/:project/settings/environments/:environment/delete/',
  'projects/:project/goals/new/',
  'projects/:project/pages/new/',
  'projects/:project/audiences/new/',
  'projects/:project/exclusion-groups/new/',
  'projects/:project/experiments/new/',
  'projects/:project/plan/',
  'projects/:project/live-events/',
  'projects/:project/definitions/',
  'projects/:project/audit/',
  'projects/:project/audit/:entry/revert/',
  'projects/:project/publications/',
  'projects/:project/publications/:revision/rollback/',
  'projects/:project/experiments/:experiment/',
  'projects/:project/experiments/:experiment/attachments/',
  'projects/:project/experiments/:experiment/clone/',
  'projects/:project/experiments/:experiment/code/',
  'projects/:project/experiments/:experiment/decision/',
  'projects/:project/experiments/:experiment/delete/',
  'projects/:project/experiments/:experiment/edit/',
  'projects/:project/experiments/:experiment/goals/:goal/series/',
  'projects/:project/experiments/:experiment/guardrails/',
  'projects/:project/experiments/:experiment/publish/',
  'projects/:project/experiments/:experiment/schedule/',
  'projects/:project/experiments/:experiment/share/',
  'projects/:project/experiments/:experiment/share/rotate/',
  'projects/:project/experiments/:experiment/status/',
  'projects/:project/experiments/:experiment/step/',
  'projects/:project/experiments/:experiment/variations/new/',
  'projects/:project/experiments/:experiment/variations/:variation/edit/',
  'projects/:project/webhooks/',
  'projects/:project/webhooks/:webhook/',
  'projects/:project/webhooks/add/',
  'projects/:project/webhooks/:webhook/edit/',
  'projects/:project/webhooks/:webhook/rotate/',
  'projects/:project/webhooks/:webhook/test/',
  'projects/:project/webhooks/:webhook/delete/',
  'projects/:project/webhooks/:webhook/deliveries/:delivery/retry/',
];

const TEAM_PAGES = [
  'teams/:team/projects/new/',
  'teams/:team/members/',
  'teams/:team/members/add/',
  'teams/:team/members/:user/role/',
  'teams/:team/members/:user/remove/',
  'teams/:team/members/:user/invitation/',
];

const OUTSIDE = [
  'health/delivery',
  'health/live',
  'health/ready',
  'metrics',
  'share/:token',
  'share/:token/goals/:file',
  'demo',
  'demo/*page',
  ...PAGES,
];

/** Serves the API under `/api`, and all other routes without this prefix. */
export function setPrefix(app: INestApplication): void {
  // Excludes only GET and POST, because some API routes with other methods are declared with the same trailing slash.
  const pages = [...PROJECT_PAGES, ...TEAM_PAGES].flatMap((path) =>
    [RequestMethod.GET, RequestMethod.POST].map((method) => ({ path, method })),
  );
  app.setGlobalPrefix(PREFIX, { exclude: [...OUTSIDE, ...pages] });
}

const isOutside = (path: string): boolean =>
  OUTSIDE.some((each) => (each.includes('*') ? path.startsWith(each.replace(/\*.*$/, '')) : path === each)) ||
  path === '';

/**
 * The full path of a controller's route, with its prefix.
 * @param path the declared path, without leading and trailing slashes
 * @param isPage whether the route is a page for signed-in users, which is not part of the API
 */
export const addressOf = (path: string, isPage: boolean): string =>
  isPage || isOutside(path) ? `/${path}` : `/${PREFIX}/${path}`;
