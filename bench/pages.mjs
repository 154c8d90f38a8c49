import { chromium } from 'playwright-core';
import { median, seedPeople, setPassword, SIGN_IN, start, stop } from './machine.mjs';
import { printFigure, printHeadline } from './report.mjs';
import { insertCells, seedShared } from './share-data.mjs';
import { openStore } from './stores.mjs';

/* Measures the time from the start of navigation to the first contentful paint in a browser. */

const VISITS = 7;
const USUAL = { variations: 2, goals: 3, days: 28, devices: 2 };
const LARGE = { variations: 8, goals: 12, days: 60, devices: 2 };

const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntriesByName('first-contentful-paint')) {
      resolve(startTime);
    }
  }).observe({ type: 'paint', buffered: true });
})`;

/** The median time in milliseconds. Each visit uses a new browser context with an empty cache. */
async function firstPaint(browser, state, address) {
  const times = [];
  for (let visit = 0; visit <= VISITS; visit += 1) {
    const context = await browser.newContext({ storageState: state });
    const page = await context.newPage();
    await page.goto(address);
    times.push(await page.evaluate(FIRST_PAINT));
    await context.close();
  }
  return median(times.slice(1));
}

async function signIn(browser, address) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${address}/login`);
  await page.getByLabel('E-mail address').fill(SIGN_IN.email);
  await page.getByLabel('Password').fill(SIGN_IN.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${address}/`);
  return context.storageState();
}

async function arrange(server, people, databaseUrl) {
  const store = openStore(databaseUrl);
  const [usual, large] = [
    await seedShared(server.address, people, USUAL),
    await seedShared(server.address, people, LARGE),
  ];
  await insertCells(store, usual);
  await insertCells(store, large);
  await store.close();
  const project = `${server.address}/projects/${people.filled}`;
  return {
    'sign-in': `${server.address}/login`,
    'first page': `${server.address}/`,
    project,
    experiment: `${project}/experiments/${usual.id}`,
    'experiment, 8 variations and 12 goals': `${project}/experiments/${large.id}`,
    'shared results': usual.address,
    'shared results, 8 variations and 12 goals': large.address,
    reference: `${server.address}/docs`,
  };
}

/** @param goal maximum time in milliseconds */
export async function measurePages(name, databaseUrl, goal) {
  const people = seedPeople(databaseUrl);
  setPassword(databaseUrl);
  const server = await start('dist/src/main.js', databaseUrl, { WORKER: 'off' });
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    printHeadline(`First paint in Chromium, ${name}`, '');
    const places = await arrange(server, people, databaseUrl);
    const state = await signIn(browser, server.address);
    for (const [page, address] of Object.entries(places)) {
      const taken = await firstPaint(browser, page === 'sign-in' ? undefined : state, address);
      printFigure(page, `${taken.toFixed(0)} ms`, `${goal} ms ${taken < goal ? 'reached' : 'MISSED'}`);
    }
  } finally {
    await browser.close();
    await stop(server.child);
  }
}
