import { newSite, running, Site } from '../support/delivery';
import { askAll, askOne, subject } from '../support/ofrep';
import { useScene } from '../support/scene';

/* The context of OFREP requests: its use in conditions, and errors for invalid contexts. */

const scene = useScene();
let site: Site;

beforeEach(async () => {
  site = await newSite(scene);
});

const one = (key: string, body: unknown) => askOne(site, key, body);

describe('the context', () => {
  const IPHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

  it.each<[object, object, object]>([
    [
      { type: 'device', value: 'mobile' },
      { userAgent: IPHONE },
      { userAgent: IPHONE, deviceType: 'desktop' },
    ],
    [
      { type: 'language', match: 'starts_with', value: 'de' },
      { locale: 'de-CH' },
      { locale: 'de-CH', language: 'fr' },
    ],
    [
      { type: 'query', name: 'a', value: '1' },
      { url: 'https://x.example/?a=1' },
      { url: 'https://x.example/?a=1', query: {} },
    ],
    [
      { type: 'query', name: 'utm.source', value: 'mail' },
      { query: { 'utm%2Esource': 'mail' } },
      { query: { 'utm.source': 'mail' } },
    ],
    [
      { type: 'url', match: 'starts_with', value: 'https://x.example/' },
      { url: 'HTTPS://X.example' },
      { url: 5 },
    ],
    [
      { type: 'referrer', match: 'exact', value: 'https://x.example/' },
      { referrer: 'https://x.example/' },
      { referrer: '' },
    ],
    [
      { type: 'referrer', match: 'regex', value: '^https://x\\.example/$' },
      { referrer: 'https://X.example' },
      { referrer: 5 },
    ],
    [{ type: 'country', value: 'CH' }, { country: ' Ch ' }, { country: 'CHE' }],
    [['not', { type: 'country', value: 'CH' }], { country: 'CHE' }, { country: ' CH' }],
    [{ type: 'attribute', name: 'country', value: 'Chile' }, { country: 'Chile' }, { country: 'CL' }],
    [{ type: 'attribute', name: 'age', match: 'gte', value: 18 }, { age: 18 }, { age: 17 }],
  ])('is used by conditions such as %j', async (conditions, eligible, other) => {
    const audience = await site.make.audience({ conditions });
    const { api_name } = await running(site, 2, { audiences: [audience.id] });
    const reasonOf = async (properties: object): Promise<string> =>
      (await one(api_name as string, subject('v', properties))).body.reason;
    expect([await reasonOf(eligible), await reasonOf(other)]).toEqual(['SPLIT', 'UNKNOWN']);
  });

  it('identifies the visitor by targetingKey only', async () => {
    const experiment = await running(site);
    const plain = await one(experiment.api_name as string, subject('v'));
    const other = await one(experiment.api_name as string, subject('v', { id: 'other' }));
    expect(other.body).toEqual(plain.body);
  });

  const deep = '{"a":'.repeat(40) + '1' + '}'.repeat(40);

  it.each<[string, unknown, string, string]>([
    ['invalid JSON', '{', 'PARSE_ERROR', 'The body must be a JSON object.'],
    ['no body', undefined, 'PARSE_ERROR', 'The body must be a JSON object.'],
    ['a list as its body', [], 'PARSE_ERROR', 'The body must be a JSON object.'],
    ['no context', {}, 'INVALID_CONTEXT', 'The context must be an object.'],
    ['a context that is a list', { context: [] }, 'INVALID_CONTEXT', 'The context must be an object.'],
    ['no targetingKey', { context: {} }, 'TARGETING_KEY_MISSING', 'The context has no targetingKey.'],
    ['an empty targetingKey', subject(''), 'TARGETING_KEY_MISSING', 'The context has no targetingKey.'],
    ['a null targetingKey', subject(null), 'TARGETING_KEY_MISSING', 'The context has no targetingKey.'],
    [
      'a fractional targetingKey',
      subject(5.5),
      'INVALID_CONTEXT',
      'The targetingKey must be 1 to 64 printable ASCII characters.',
    ],
    [
      'a long targetingKey',
      subject('x'.repeat(65)),
      'INVALID_CONTEXT',
      'The targetingKey must be 1 to 64 printable ASCII characters.',
    ],
    [
      'a targetingKey that is not ASCII',
      subject('Zoë'),
      'INVALID_CONTEXT',
      'The targetingKey must be 1 to 64 printable ASCII characters.',
    ],
    [
      'a context that is nested too deeply',
      `{"context":${deep}}`,
      'INVALID_CONTEXT',
      'The context is nested deeper than 32 levels.',
    ],
  ])('is rejected if the request has %s', async (_, body, errorCode, errorDetails) => {
    await running(site);
    const [single, bulk] = [await one('experiment', body), await askAll(site, body)];
    const refusal = { message: errorDetails, code: errorCode, errorCode, errorDetails };
    expect([single.status, single.body]).toEqual([400, { ...refusal, key: 'experiment' }]);
    expect([bulk.status, bulk.body]).toEqual([400, refusal]);
  });
});
