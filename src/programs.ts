/** The programs in the bundle. Each program loads its modules only when it runs. */
export const programs = {
  server: () => import('./server.js'),
  admin: () => import('./admin-command.js'),
};
