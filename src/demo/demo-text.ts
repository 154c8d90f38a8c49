import { dirname } from 'node:path';
import type { Named } from './demo.store';
import type { Demo } from './demo.service';
import type { Quickstart } from './quickstart.service';

/* Text about the demo. */

const INDENT = '  ';
/** The default data folder. Early releases also stored the demo in it. */
const OWN_FOLDER = 'data';
/** The folder that contains only the demo. */
const DEMO_FOLDER = 'data/demo';
const withOtherFolder = 'DATABASE_URL=sqlite:data/site/gosset.sqlite npm start: without the demo';

const withIds = (items: readonly Named[]): string =>
  items.map(({ id, name }) => `${name} (${id})`).join(', ');

function columns(rows: readonly string[][]): string[] {
  const width = (column: number): number => Math.max(...rows.map((row) => (row[column] ?? '').length));
  return rows.map(
    (row) =>
      INDENT +
      row
        .map((cell, column) => cell.padEnd(width(column) + 2))
        .join('')
        .trimEnd(),
  );
}

/** Experiments' share links. */
const resultRows = (experiments: Demo['experiments']): string[][] =>
  experiments.flatMap(({ name, share_url }) =>
    share_url === null ? [] : [['results', `${name}: ${share_url}`]],
  );

const firstWithResults = (experiments: Demo['experiments']): Demo['experiments'][number] | undefined =>
  experiments.find(({ share_url }) => share_url !== null);

/** All records in the demo, with their ids. */
export function demoText({ created, team, project, users, experiments, ...items }: Demo): string {
  const records: Readonly<Record<string, readonly Named[]>> = items;
  const headline = created ? 'Created the demo:' : 'The demo already exists and was not changed:';
  return [
    headline,
    ...columns([
      ['team', withIds([team])],
      ['project', project === null ? 'deleted' : withIds([project])],
      ...Object.entries(records).map(([collection, list]) => [collection, withIds(list)]),
      ...experiments.map(({ id, name, status }) => ['experiment', `${name} (${id}), ${status}`]),
      ...resultRows(experiments),
      ...users.map(({ id, email, role }) => ['user', `${email} (${id}), ${role}`]),
    ]),
    '',
    'Use users:set-password to let users sign in and tokens:create to give them API tokens.',
  ].join('\n');
}

function curlLines({ server, token, project, experiments }: Quickstart): string[] {
  if (token === null) {
    return [];
  }
  const curl = `curl -H "Authorization: Bearer ${token}"`;
  const lines = [`${curl} "${server}/api/teams"`];
  if (project !== null) {
    const list = `${server}/api/projects/${project.id}/experiments`;
    lines.push(`${curl} "${list}?status=running&fields=id,name,status,tags"`);
    const shown = firstWithResults(experiments);
    if (shown !== undefined) {
      lines.push(`${curl} "${list}/${shown.id}/results"`);
    }
    const draft = experiments.find(({ status }) => status === 'draft');
    if (draft !== undefined) {
      const body = `-H "Content-Type: application/json" -d '{"description": "Changed by my first API call."}'`;
      lines.push(`${curl} -X PATCH ${body} "${list}/${draft.id}"`);
    }
  }
  return ['', 'Try', ...lines.map((line) => INDENT + line)];
}

/** Says where the demo is stored and how to start without it. */
function dataLines({ file }: Quickstart): string[] {
  if (file === null) {
    return ['The demo is in the database that DATABASE_URL names'];
  }
  const folder = dirname(file);
  const isShared = folder === OWN_FOLDER;
  const isAlone = folder === DEMO_FOLDER;
  const startOver = ['start over', `stop the server, delete ${folder}, and run npm run quickstart again`];
  return [
    `The demo is in ${isAlone ? folder : file}`,
    ...columns([
      ...(isAlone ? [startOver] : []),
      [
        'your site',
        isShared ? withOtherFolder : `npm start: without the demo, with its data in ${OWN_FOLDER}`,
      ],
      ['its users', `DATABASE_URL=sqlite:${file} npm run -s admin -- users:list`],
    ]),
  ];
}

/** URLs, credentials, and first commands. */
export function quickstartText(start: Quickstart): string {
  const { server, reference, shop, users, passwords, token, experiments } = start;
  const shown = firstWithResults(experiments);
  return [
    '',
    'Gosset with demo data',
    ...columns([
      ['Server', server],
      ['Sign in', `${server}/login`],
      ['Reference', reference],
      ...(shop === null ? [] : [['Shop', shop]]),
      ...(shown === undefined ? [] : [['Results', `${shown.share_url} (${shown.name})`]]),
    ]),
    '',
    'Users and passwords',
    ...columns(users.map(({ email, role }) => [email, role, passwords[email] ?? '(password was changed)'])),
    '',
    'API token of the administrator, read & write',
    INDENT + (token ?? 'none, because the user is disabled'),
    ...curlLines(start),
    '',
    ...dataLines(start),
    '',
    'Ctrl-C stops the server. Your changes are kept.',
    '',
  ].join('\n');
}
