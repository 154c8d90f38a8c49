import type { INestApplication } from '@nestjs/common';

const PREFIX = 'api';

/** The pages for people. */
const PAGES = ['/', 'login', 'logout', 'settings/*page', 'assets/*file'];

/**
 * Those of projects have the paths of the API, from which their declared paths differ by the slash at the end. The
 * server itself takes addresses with and without it.
 */
const PROJECT_PAGES = [
  'projects/:project/',
  'projects/:project/plan/',
  'projects/:project/live-events/',
  'projects/:project/experiments/:experiment/',
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

/** Puts the API below `/api`, and everything else beside it. */
export function setPrefix(app: INestApplication): void {
  app.setGlobalPrefix(PREFIX, { exclude: [...OUTSIDE, ...PROJECT_PAGES] });
}

const isOutside = (path: string): boolean =>
  OUTSIDE.some((each) => (each.includes('*') ? path.startsWith(each.replace(/\*.*$/, '')) : path === each)) ||
  path === '';

/**
 * The path of a controller's route with its prefix, as the server has it.
 * @param path as it is declared, without slashes around it
 * @param isPage whether the route is a page for signed-in users; none of these is in the API
 */
export const addressOf = (path: string, isPage: boolean): string =>
  isPage || isOutside(path) ? `/${path}` : `/${PREFIX}/${path}`;
