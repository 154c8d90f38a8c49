import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { runInNewContext } from 'node:vm';
import { liveDefinitions, liveExperiment, liveVariations } from '../../../test/support/live-definitions';
import type { LiveDefinitions, LiveExperiment } from '../definitions';
import { buildContent, buildPreview, codeFailures, scriptMark } from './publication-content';
import { payloadOf } from './payload';
import { FunctionText, snippetConfig, sourceText } from './snippet-config';

const PLACE = { host: 'https://ab.example.com', clientKey: 'pk_0123456789abcdefghijABCD' };
const build = (definitions: LiveDefinitions) => buildContent(definitions, PLACE);

describe('a publication', () => {
  const definitions = liveDefinitions([liveExperiment({ css: 'a { color: red }', js: 'window.a = 1' })]);

  it('has the same bytes for the same definitions', async () => {
    const [first, second] = [await build(definitions), await build(structuredClone(definitions))];
    expect(second).toEqual(first);
    expect(gunzipSync(first.gzip)).toEqual(first.script);
    expect(brotliDecompressSync(first.brotli)).toEqual(first.script);
  });

  it.each<[string, Partial<LiveExperiment>]>([
    ['code', { js: 'window.a = 2' }],
    ['shares', { variations: liveVariations(10_010, [4_000, 6_000]) }],
    ['traffic', { traffic: 9_999 }],
    ['pages', { pages: [{ id: 1, api_name: 'p', activation: 'manual', conditions: [] }] }],
    ['goals', { goals: [{ id: 1, api_name: 'g', type: 'click', selector: 'a', conditions: null }] }],
  ])('changes if the %s changed', async (_, change) => {
    const [experiment] = definitions.experiments;
    const changed = await build(liveDefinitions([{ ...experiment, ...change }]));
    expect(changed.digest).not.toBe((await build(definitions)).digest);
  });

  it('can be recognised by the address that it sends events to, even if an earlier release built it', async () => {
    const earlier = `(()=>{var start;\nstart(${sourceText({ ...PLACE, build: 'b0' })});})();`;
    const { script } = await build(definitions);
    const sendsTo = (host: string) =>
      [script, Buffer.from(earlier)].map((each) => each.includes(scriptMark(host)));
    expect(sendsTo(PLACE.host)).toEqual([true, true]);
    expect(sendsTo('https://ab.example')).toEqual([false, false]);
  });

  it('has a script that parses, whatever user code it contains', async () => {
    const experiment = liveExperiment({
      js: "const a = '</script><script>alert(1)</script>' // the end",
      reset_js: '/* \u2028 */ debugger; // \u2029',
      css: '</style><script>alert(1)</script>',
      variations: liveVariations(1, [10_000]).map((variation) => ({
        ...variation,
        js: "'use strict'; let b = `${1}`",
      })),
    });
    const { script } = await build(liveDefinitions([experiment]));
    expect(() => runInNewContext(`() => { ${script.toString()} }`)).not.toThrow();
    expect(script.toString()).not.toContain('</script');
  });

  it('has a prefix of its digest in the script', async () => {
    const { digest, script } = await build(definitions);
    expect(script.toString()).toContain(digest.slice(0, 16));
  });

  it('omits names and descriptions', async () => {
    const { payload } = await build(definitions);
    expect(JSON.stringify(payload)).not.toMatch(/"(name|description)"/);
  });

  it('shows one variation for a preview link', async () => {
    const script = await buildPreview(definitions, PLACE, 10_011);
    expect(script.toString()).toMatch(/preview:\{variation:10011\}/);
  });
});

describe('the build of many scripts', () => {
  afterEach(() => jest.restoreAllMocks());

  /** The number of turns that other requests get during the work, if each script takes long. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
    let turns = 0;
    let isOver = false;
    const others = (): void => {
      turns += 1;
      if (!isOver) {
        setImmediate(others);
      }
    };
    setImmediate(others);
    await work();
    isOver = true;
    return turns;
  }

  const scripts = 20;
  const experiments = Array.from({ length: scripts }, (_, index) =>
    liveExperiment({ id: index + 1, js: `window.a${index} = 1` }),
  );

  it.each([
    ['checked', codeFailures],
    ['compacted', (definitions: LiveDefinitions) => snippetConfig(definitions, PLACE)],
  ])('lets other requests run after each script that is %s', async (_, work) => {
    expect(await turnsDuring(() => work(liveDefinitions(experiments)))).toBeGreaterThanOrEqual(scripts);
  });
});

describe('the payload', () => {
  it('runs an A/A test, which the SDK would skip without changes', () => {
    const [{ variations }] = payloadOf([liveExperiment()]).experiments;
    expect(variations).toEqual([{ css: '' }, { css: '' }]);
  });

  it('leaves decisions that only the snippet can make to the page', () => {
    const cookie = { type: 'cookie', name: 'c', match: 'exists' } as const;
    const { experiments, features } = payloadOf([liveExperiment({ audiences: [cookie] })]);
    expect(experiments[0]).toMatchObject({ manual: true });
    expect(features['experiment-1001'].rules).toMatchObject([{ condition: { id: { $in: [] } } }]);
  });
});

describe('source text', () => {
  it('evaluates to its value', () => {
    const value = {
      text: '\u2028 "\\',
      list: [1, null, true, { deep: -0.5 }],
      gone: undefined,
      ['__proto__']: { own: 1 },
      'a-b': '',
    };
    const read = runInNewContext(`(${sourceText(value)})`) as object;
    const { gone: _, ...kept } = value;
    expect(JSON.stringify(read)).toBe(JSON.stringify(kept));
    expect(Object.hasOwn(read, '__proto__')).toBe(true);
  });

  it('closes a function even if its code ends in a comment', () => {
    expect(runInNewContext(`(${sourceText(new FunctionText('return 5 // so'))})()`)).toBe(5);
  });
});

describe('code that escapes from its function', () => {
  const escape = '}, x: function () { alert(1)';

  it('is reported and rejected', async () => {
    const experiment = liveExperiment({
      js: escape,
      reset_js: escape,
      variations: liveVariations(7, [10_000]).map((variation) => ({ ...variation, js: escape })),
    });
    const environments = [{ id: 3, api_name: 'e', is_default: true, code: escape }];
    const failures = await codeFailures(liveDefinitions([experiment], { environments }));
    expect(failures.map(({ path }) => path)).toEqual([
      'environments.3.code',
      'experiments.1001.js',
      'experiments.1001.reset_js',
      'experiments.1001.variations.7.js',
    ]);
  });

  it('does not include code that ends in a comment, returns from an environment, or is strict', async () => {
    const experiment = liveExperiment({ js: "'use strict'; a() // b", reset_js: 'a() /* b */ <!-- c' });
    expect(await codeFailures(liveDefinitions([experiment]))).toEqual([]);
  });
});
