/** What the bundle starts. Each program loads what it needs when it runs. */
export const programs = {
  server: () => import('./server.js'),
  admin: () => import('./admin-command.js'),
};
