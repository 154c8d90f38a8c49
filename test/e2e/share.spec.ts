import { createHash } from 'node:crypto';
import { Cells, ranFrom } from '../support/cells';
import { useScene } from '../support/scene';
import {
  daysOfMay,
  fillDays,
  JSON_ONLY,
  PAGE,
  SharedExperiment,
  sharedExperiment,
  visit,
} from '../support/shared-experiment';

/* The share page, on which anyone with the link can view the results. */

const scene = useScene();
let running: SharedExperiment;

beforeAll(async () => {
  running = await sharedExperiment(scene, { name: 'Checkout <b>button</b>' });
  await scene.make.move(running, 'running');
  await fillDays(scene, running, daysOfMay(10));
  await new Cells(scene.api, running.id)
    .entered({ variation: running.variations[0].id, day: '2026-05-03', device: 'mobile' }, 50)
    .crossed({ variation: running.variations[0].id, day: '2026-05-03', device: 'mobile' }, 4)
    .store();
});

const get = (address: string, headers?: Record<string, string>) => visit(scene, address, headers);

describe('the page', () => {
  it('shows the figures to anyone with the link', async () => {
    const { status, headers, text } = await get(running.address);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('Checkout &lt;b>button&lt;/b>');
    expect(text).not.toContain('<b>button');
    expect(text).toContain('Too early to say: day 1 of 7');
    for (const figure of ['8\u202f150', '8.78\u202f%', '4\u202f050', 'All participants, on all devices.']) {
      expect(text).toContain(figure);
    }
    expect(text.match(/role="img"/g)).toHaveLength(2);
  });

  it('gives no advice once the team has recorded its decision', async () => {
    const advice = 'Nothing to decide yet: keep the experiment running.';
    const { text } = await get(running.address);
    await scene.client.patch(running.path, { decision: { outcome: 'inconclusive' } });
    const decided = await get(running.address);
    await scene.client.patch(running.path, { decision: null });
    const open = await get(running.address);
    expect([text, decided.text, open.text].map((page) => page.includes(advice))).toEqual([true, false, true]);
    expect(decided.text).toContain('Too early to say: day 1 of 7');
  });

  it('has security headers that allow no styles except its own style sheet', async () => {
    const { headers, text } = await get(running.address);
    const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers).toMatchObject({
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'x-robots-tag': expect.stringContaining('noindex'),
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      vary: 'Accept, Accept-Encoding',
    });
    expect(text).toContain('<meta name="robots" content="noindex');
  });

  it('has no scripts, no style attributes and no resources from other hosts', async () => {
    const { text } = await get(running.address);
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=|javascript:/i);
    expect(text.match(/<style/g)).toHaveLength(1);
    // Chat tools need the absolute URL of the preview image, which browsers do not load.
    const own = `${scene.api.config.publicUrl}/assets/preview.png`;
    expect(text.replace(own, '')).not.toMatch(/(?:https?:)?\/\/\w/);
  });

  it('has a title and a description for chat tools', async () => {
    const { text } = await get(running.address);
    const properties = [...text.matchAll(/<meta property="og:(\w+)" content="([^"]*)"/g)];
    expect(Object.fromEntries(properties.map(([, name, content]) => [name, content]))).toEqual({
      site_name: 'Gosset',
      type: 'website',
      title: 'Checkout &lt;b>button&lt;/b> – experiment results',
      description: 'Too early to say: day 1 of 7.',
      image: `${scene.api.config.publicUrl}/assets/preview.png`,
    });
    const image = await scene.api.app.inject('/assets/preview.png');
    expect([image.statusCode, image.headers['content-type']]).toEqual([200, 'image/png']);
    // The width and height in the PNG header chunk.
    expect([image.rawPayload.readUInt32BE(16), image.rawPayload.readUInt32BE(20)]).toEqual([1200, 630]);
  });

  it('needs no token, and is not subject to the rate limit of token routes', async () => {
    const { headers } = await get(running.address);
    expect(headers['x-ratelimit-limit']).toBeUndefined();
  });

  it('supports HEAD, and no method that writes', async () => {
    const anybody = scene.api.as(null);
    const head = await anybody.send('HEAD', running.address, undefined, PAGE);
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      'text/html; charset=utf-8',
    ]);
    const post = await anybody.post(running.address);
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it.each([
    ['browsers', PAGE.accept],
    ['command line tools', '*/*'],
    ['a preference for HTML', 'text/html, application/json;q=0.9'],
  ])('is negotiated by Accept: %s', async (_, accept) => {
    expect((await get(running.address, { accept })).headers['content-type']).toMatch(/^text\/html/);
  });
});

describe('the JSON', () => {
  it('is the same as the results JSON', async () => {
    const shared = await get(running.address, JSON_ONLY);
    const results = await scene.client.get(`${running.path}/results`);
    expect([shared.status, shared.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(withoutTime(shared.body)).toEqual(withoutTime(results.body));
    expect(shared.headers['x-robots-tag']).toContain('noindex');
  });

  it('accepts the same filter as the results', async () => {
    const query = '?startDate=2026-05-02&endDate=2026-05-03&deviceTypes=mobile,tablet';
    const [shared, results] = [
      await get(running.address + query, JSON_ONLY),
      await scene.client.get(`${running.path}/results${query}`),
    ];
    expect(withoutTime(shared.body)).toEqual(withoutTime(results.body));
  });

  it('is replaced by the errors of an invalid filter', async () => {
    const { status, body } = await get(`${running.address}?startDate=soon&deviceTypes=fridge`, JSON_ONLY);
    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([
      422,
      ['startDate', 'deviceTypes'],
    ]);
  });
});

/** Removes the runtime and values that depend on it, which change between requests. */
function withoutTime(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) => (key === 'duration' ? undefined : value));
}

describe('the filter', () => {
  it('is applied, shown and kept in the form', async () => {
    const { status, text } = await get(
      `${running.address}?startDate=2026-05-03&endDate=2026-05-03&deviceTypes=mobile&deviceTypes=tablet`,
    );
    expect(status).toBe(200);
    expect(text).toContain(
      'Participants who entered on 3 May 2026 and their conversions by then, on mobile or tablet devices.',
    );
    expect(text).toMatch(/<input[^>]*name="startDate" value="2026-05-03"/);
    expect(text.match(/<input[^>]*checked[^>]*>/g)).toEqual([
      expect.stringContaining('mobile'),
      expect.stringContaining('tablet'),
    ]);
    expect(text).toMatch(/<dt>Participants<\/dt><dd>50<\/dd>/);
    expect(text).toContain('too many<span class="range">4 participants');
    expect(text).toContain('href="?"');
  });

  it('has presets for the last days, which keep the selected devices', async () => {
    const { text } = await get(`${running.address}?deviceTypes=mobile`);
    const today = Date.parse(new Date().toISOString().slice(0, 10));
    const day = (back: number): string => new Date(today - back * 86_400_000).toISOString().slice(0, 10);
    const links = [...text.matchAll(/<a href="([^"]*)"[^>]*>(Last \d+ days)</g)];
    expect(links.map(([, address, name]) => [name, address])).toEqual(
      [7, 14, 28].map((days) => [`Last ${days} days`, `?startDate=${day(days - 1)}&amp;deviceTypes=mobile`]),
    );
    const chosen = await get(`${running.address}?startDate=${day(6)}`);
    expect(chosen.text).toContain('aria-current="true">Last 7 days</a>');
  });

  it('can match no participants', async () => {
    const { status, text } = await get(`${running.address}?endDate=2020-01-01`);
    expect(status).toBe(200);
    expect(text).toContain('No participants match the filter');
  });

  it('can have empty fields, as in a form that is submitted unchanged', async () => {
    const empty = '?startDate=&endDate=';
    expect((await get(running.address + empty)).text).toContain('All participants, on all devices.');
    expect((await get(running.address + empty, JSON_ONLY)).status).toBe(200);
  });

  it('shows errors next to its fields, which keep their input', async () => {
    const { status, headers, text } = await get(
      `${running.address}?startDate=2026-05-09&endDate=2026-05-01&deviceTypes=mobile`,
    );
    expect([status, headers['content-type']]).toEqual([422, 'text/html; charset=utf-8']);
    expect(text).toContain('<title>Invalid filter: ');
    expect(text).toContain(
      '<meta property="og:description" content="The filter in this link is invalid, so no results are shown."',
    );
    expect(text).toMatch(
      /name="endDate" value="2026-05-01" aria-invalid="true" aria-describedby="endDate-error"/,
    );
    expect(text).toMatch(/id="endDate-error">The last day may not be before the first day\.</);
    expect(text.match(/<input[^>]*checked[^>]*>/g)).toEqual([expect.stringContaining('mobile')]);
  });

  it('is escaped in the page', async () => {
    const { status, text } = await get(
      `${running.address}?startDate=${encodeURIComponent('"><script>alert(1)</script>')}&deviceTypes=%3Cscript%3E`,
    );
    expect(status).toBe(422);
    expect(text).not.toContain('<script');
  });
});

describe('an experiment without participants', () => {
  it('shows the next step', async () => {
    const draft = await sharedExperiment(scene);
    const { status, text } = await get(draft.address);
    expect(status).toBe(200);
    expect(text).toContain('No results yet');
    expect(text).toContain('The experiment is a draft.');
    await scene.make.move(draft, 'running');
    expect((await get(draft.address)).text).toContain('as soon as the first visitor');
  });

  it('has no results as JSON', async () => {
    const { address } = await sharedExperiment(scene);
    const { status, body } = await get(address, JSON_ONLY);
    expect([status, body]).toEqual([
      404,
      { message: 'No result found for this experiment', code: 'NO_RESULT' },
    ]);
  });
});

describe('untrustworthy figures', () => {
  it('are marked at the top', async () => {
    const experiment = await sharedExperiment(scene);
    await fillDays(scene, experiment, daysOfMay(10), [
      { participants: 400, converters: 30 },
      { participants: 300, converters: 36 },
    ]);
    await ranFrom(scene.api, experiment.id, '2026-05-01', '2026-05-20');
    const { text } = await get(experiment.address);
    expect(text.indexOf('Do not trust this result')).toBeGreaterThan(0);
    expect(text.indexOf('Do not trust this result')).toBeLessThan(text.indexOf('Primary goal'));
    expect(text).toContain('This result cannot be trusted');
  });

  it('are marked under any filter', async () => {
    const experiment = await sharedExperiment(scene);
    await fillDays(scene, experiment, daysOfMay(1), [
      { participants: 900, converters: 90 },
      { participants: 1300, converters: 90 },
    ]);
    await new Cells(scene.api, experiment.id)
      .entered({ variation: experiment.variations[0].id, day: '2026-05-01', device: 'tablet' }, 20)
      .entered({ variation: experiment.variations[1].id, day: '2026-05-01', device: 'tablet' }, 20)
      .store();
    const { text } = await get(`${experiment.address}?deviceTypes=tablet`);
    expect(text).toContain('Do not trust this result');
    expect(text).toContain('The check fails for all participants.');
    expect(text).toMatch(/41\.1\u202f%.*50\.0\u202f%/s);
    const { text: none } = await get(running.address);
    expect(none).not.toContain('Do not trust this result');
  });

  it('include a split that differs from the traffic allocation, even if it is not set for some variations', async () => {
    const variations = [{ name: 'Original', traffic_allocation: 20 }, { name: 'Variation' }];
    const experiment = await sharedExperiment(scene, { variations });
    await fillDays(scene, experiment, daysOfMay(1), [
      { participants: 500, converters: 50 },
      { participants: 500, converters: 50 },
    ]);
    const { text } = await get(experiment.address);
    expect(text).toMatch(/Do not trust this result.*50\.0\u202f%.*20\.0\u202f%.*50\.0\u202f%.*80\.0\u202f%/s);
  });
});
