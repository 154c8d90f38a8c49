const OPTIONS = 'setup --email you@example.com --name "Your Name" --team "Your Team" --project "Your Site"';

/** The commands that create the first user, to be run in the installation folder. */
export const SETUP_COMMANDS = {
  npm: `npm run -s admin -- ${OPTIONS}`,
  compose: `docker compose exec server node dist/src/admin.js ${OPTIONS}`,
} as const;
