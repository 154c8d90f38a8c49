import { evalCondition } from '@growthbook/growthbook';
import type { ConditionLeaf } from '../../resources/audiences/condition-leaf';
import type { ConditionTree } from '../../resources/audiences/condition-tree';
import { attributeKey, ATTRIBUTES } from '../attribute-names';
import { audienceCondition, Unknowns } from './audience-condition';

type Attributes = Record<string, unknown>;

const condition = (tree: ConditionTree | null, unknowns: Unknowns = () => 0) =>
  audienceCondition({ audiences: [tree], audiences_match_type: 'any' }, unknowns);

/** Whether a visitor with these attributes is eligible. */
const isIn = (tree: ConditionTree, attributes: Attributes, unknowns?: Unknowns): boolean => {
  const built = condition(tree, unknowns);
  return built === undefined || evalCondition({ id: 'visitor', ...attributes }, built);
};

const leaf = (type: ConditionLeaf['type'], match: ConditionLeaf['match'], value: ConditionLeaf['value']) =>
  ({ type, match, value }) as ConditionLeaf;
const attribute = (match: ConditionLeaf['match'], value?: ConditionLeaf['value'], name = 'plan') =>
  ({ type: 'attribute', name, match, ...(value === undefined ? {} : { value }) }) as ConditionLeaf;

describe('leaves', () => {
  it.each<[ConditionLeaf, Attributes, boolean]>([
    [leaf('device', 'exact', 'mobile'), { deviceType: 'mobile' }, true],
    [leaf('device', 'exact', 'mobile'), { deviceType: 'desktop' }, false],
    [leaf('device', 'in', ['mobile', 'tablet']), { deviceType: 'tablet' }, true],
    [leaf('device', 'in', ['mobile', 'tablet']), {}, false],
    [leaf('browser', 'exact', 'edge'), { browser: 'edge' }, true],
    [leaf('os', 'exact', 'ios'), { os: 'android' }, false],
    [leaf('visitor', 'exact', 'new'), { visitor: 'new' }, true],
    [leaf('visitor', 'exact', 'new'), { visitor: 'returning' }, false],
    [leaf('language', 'exact', 'en-GB'), { language: 'EN-gb' }, true],
    [leaf('country', 'exact', 'CH'), { country: 'ch' }, true],
    [leaf('country', 'in', ['AT', 'CH']), { country: 'CH' }, true],
    [leaf('country', 'in', ['AT', 'CH']), { country: 'de' }, false],
    [leaf('language', 'exact', 'en'), { language: 'en-GB' }, false],
    [leaf('language', 'starts_with', 'en-'), { language: 'en-GB' }, true],
    [leaf('language', 'starts_with', 'en-'), { language: 'en' }, false],
    [leaf('language', 'in', ['de', 'fr-CH']), { language: 'fr-ch' }, true],
    [leaf('url', 'exact', 'https://a.example'), { url: 'https://a.example/' }, true],
    [leaf('url', 'contains', '?a=1'), { url: 'https://a.example/?a=1&b' }, true],
    [leaf('url', 'contains', '.'), { url: 'https:--' }, false],
    // The SDK caches patterns in an object with the properties of `Object.prototype`.
    [leaf('url', 'contains', 'constructor'), { url: 'https://a.example/constructor' }, true],
    [leaf('referrer', 'contains', 'valueOf'), { referrer: 'https://a.example/valueOf' }, true],
    [attribute('regex', 'toString'), { plan: 'a toString' }, true],
    [attribute('contains', '__proto__'), { plan: 'x__proto__x' }, true],
    [leaf('url', 'starts_with', 'https://a'), { url: 'https://a.example/' }, true],
    [leaf('url', 'ends_with', '/b'), { url: 'https://a.example/b' }, true],
    [leaf('url', 'ends_with', '/b'), { url: 'https://a.example/b/' }, false],
    [leaf('url', 'contains', '/käse'), { url: 'https://a.example/k%C3%A4se' }, true],
    [leaf('url', 'starts_with', 'https://A.example/'), { url: 'https://a.example/b' }, true],
    [leaf('referrer', 'ends_with', '/käse'), { referrer: 'https://a.example/k%C3%A4se' }, true],
    [attribute('contains', 'käse'), { plan: 'k%C3%A4se' }, false],
    [attribute('starts_with', 'kä'), { plan: 'käse' }, true],
    [attribute('ends_with', 'se'), { plan: 'käse' }, true],
    [leaf('url', 'regex', '/[ab]$'), { url: 'https://a.example/b' }, true],
    [leaf('referrer', 'contains', 'ul'), {}, false],
    [attribute('exact', 'pro'), { plan: 'pro' }, true],
    [attribute('exact', 'pro'), { plan: 'Pro' }, false],
    [attribute('exact', 'pro'), {}, false],
    [attribute('exact', 'pro'), { plan: ['free', 'pro'] }, true],
    [attribute('exact', 5), { plan: '5' }, true],
    [attribute('exact', '5'), { plan: 5 }, true],
    [attribute('exact', 0), {}, false],
    [attribute('exact', true), { plan: true }, true],
    [attribute('exact', true), { plan: 'yes' }, false],
    [attribute('exact', false), {}, false],
    [attribute('in', ['a', 2]), { plan: 2 }, true],
    [attribute('exists'), { plan: 0 }, true],
    [attribute('exists'), { plan: null }, false],
    [attribute('gt', 5), { plan: 6 }, true],
    [attribute('gt', 5), { plan: 5 }, false],
    [attribute('gte', 5), { plan: '5' }, true],
    [attribute('lt', 5), {}, false],
    [attribute('lt', 5), { plan: null }, false],
    [attribute('lte', 5), { plan: 'abc' }, false],
    [attribute('contains', 'ul'), { plan: null }, false],
    [attribute('regex', '^nul'), {}, false],
    [attribute('exact', 'x', '$and'), { $and: 'x' }, false],
    [attribute('exists', undefined, '__proto__'), {}, false],
    [attribute('exists', undefined, 'constructor'), {}, false],
    [attribute('exists', undefined, 'a.toString'), { a: {} }, false],
    [attribute('exact', 'b', 'deep.name'), { deep: { name: 'b' } }, true],
    [
      { type: 'query', name: 'utm.source', match: 'exact', value: 'ad' },
      { query: { 'utm%2Esource': 'ad' } },
      true,
    ],
    [{ type: 'query', name: 'a', match: 'exists' }, { query: { a: '' } }, true],
    [{ type: 'query', name: 'a', match: 'exists' }, {}, false],
    [{ type: 'cookie', name: 'c', match: 'exact', value: '1' }, { [ATTRIBUTES.cookie]: { c: '1' } }, true],
    [attribute('exists', undefined, 'cookie'), { [ATTRIBUTES.cookie]: {} }, false],
    [{ type: 'javascript', value: 'true' }, { [ATTRIBUTES.javascript]: { 0: true } }, true],
    [{ type: 'javascript', value: 'true' }, { [ATTRIBUTES.javascript]: { 0: false } }, false],
  ])('evaluates %j for %j to %j', (tree, attributes, expected) => {
    expect(isIn(tree, attributes)).toBe(expected);
  });

  it('distinguishes names with dots from nested objects', () => {
    expect([attributeKey('a.b'), attributeKey('a%2Eb')]).toEqual(['a%2Eb', 'a%252Eb']);
  });
});

const mobile = leaf('device', 'exact', 'mobile');
const german = leaf('language', 'exact', 'de');

describe('trees', () => {
  it.each<[ConditionTree, Attributes, boolean]>([
    [['and', mobile, german], { deviceType: 'mobile', language: 'de' }, true],
    [['and', mobile, german], { deviceType: 'mobile' }, false],
    [['or', mobile, german], { language: 'de' }, true],
    [['or', mobile, german], {}, false],
    [['not', mobile], {}, true],
    [['not', ['and', mobile, ['not', german]]], { deviceType: 'mobile', language: 'de' }, true],
    [['not', attribute('exact', 'x')], {}, true],
  ])('evaluates %j for %j to %j', (tree, attributes, expected) => {
    expect(isIn(tree, attributes)).toBe(expected);
  });

  it.each<['any' | 'all', (ConditionTree | null)[], Attributes, boolean]>([
    ['any', [], {}, true],
    ['all', [], {}, true],
    ['any', [mobile, null], {}, true],
    ['all', [mobile, null], {}, false],
    ['any', [mobile, german], { language: 'de' }, true],
    ['all', [mobile, german], { language: 'de' }, false],
    ['all', [mobile, german], { language: 'de', deviceType: 'mobile' }, true],
  ])('evaluates %s of %j for %j to %j', (audiences_match_type, audiences, attributes, expected) => {
    const built = audienceCondition({ audiences_match_type, audiences }, 'excluded');
    expect(built === undefined || evalCondition({ id: 'v', ...attributes }, built)).toBe(expected);
  });
});

describe('conditions that only the snippet can evaluate', () => {
  const code: ConditionLeaf = { type: 'javascript', value: 'x' };
  const cookie: ConditionLeaf = { type: 'cookie', name: 'c', match: 'exists' };

  it.each<[ConditionTree, Attributes, boolean, boolean]>([
    [code, {}, false, true],
    [cookie, { [ATTRIBUTES.cookie]: { c: '1' } }, false, true],
    [['not', code], {}, false, true],
    [['not', ['not', cookie]], {}, false, true],
    [['or', mobile, code], { deviceType: 'mobile' }, true, true],
    [['or', mobile, code], {}, false, true],
    [['and', mobile, ['not', code]], {}, false, false],
    [['and', mobile, ['not', code]], { deviceType: 'mobile' }, false, true],
  ])(
    'evaluates %j for %j to %j on a server, and to %j if the page triggers the experiment',
    (tree, attributes, onServer, onPage) => {
      expect([isIn(tree, attributes, 'excluded'), isIn(tree, attributes, 'included')]).toEqual([
        onServer,
        onPage,
      ]);
    },
  );
});
