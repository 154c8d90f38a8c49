/** The programs of the bundle. Each loads its modules when it runs. */
export const programs = {
  server: () => import('./server.js'),
  admin: () => import('./admin-command.js'),
};
