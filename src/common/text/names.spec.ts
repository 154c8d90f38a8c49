import {
  API_NAME,
  apiNameFrom,
  foldName,
  isNumbered,
  nameKey,
  nextFreeApiName,
  nextFreeCopyName,
} from './names';

describe('apiNameFrom', () => {
  it.each([
    ['Green button', 'green-button'],
    ['  Überraschung & Café!  ', 'uberraschung-cafe'],
    ['__private', 'private'],
    ['snake_case stays', 'snake_case-stays'],
    ['実験', 'experiment'],
    ['x'.repeat(300), 'x'.repeat(64)],
    [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
  ])('turns %j into %j', (name, expected) => {
    expect(apiNameFrom(name, 'experiment')).toBe(expected);
    expect(expected).toMatch(API_NAME);
  });
});

describe('nextFreeApiName', () => {
  it('counts up from 2 and stays within 64 characters', () => {
    expect(nextFreeApiName('a', new Set())).toBe('a');
    expect(nextFreeApiName('a', new Set(['a', 'a-2']))).toBe('a-3');
    const long = 'x'.repeat(64);
    expect(nextFreeApiName(long, new Set([long]))).toBe(`${'x'.repeat(62)}-2`);
  });
});

describe('isNumbered', () => {
  it('recognizes the names that nextFreeApiName returns', () => {
    const long = 'x'.repeat(64);
    const accepted = [
      ['goal', 'goal'],
      ['goal-12', 'goal'],
      ['goal-2-3', 'goal-2'],
      [`${'x'.repeat(62)}-2`, long],
    ];
    expect(accepted.filter(([name, wanted]) => !isNumbered(name, wanted))).toEqual([]);
    const others = [
      ['goals', 'goal'],
      ['goal-0', 'goal'],
      ['goal', 'goal-2'],
      ['goal-x-2', 'goal'],
    ];
    expect(others.filter(([name, wanted]) => isNumbered(name, wanted))).toEqual([]);
  });
});

describe('nextFreeCopyName', () => {
  it('numbers the copies', () => {
    expect(nextFreeCopyName('A', new Set())).toBe('A (Copy)');
    expect(nextFreeCopyName('A', new Set(['A (Copy)']))).toBe('A (Copy 2)');
    expect([...nextFreeCopyName('💡'.repeat(255), new Set())]).toHaveLength(255);
  });
});

describe('nameKey', () => {
  it('is the same for all normal forms of a name, and different for any other name', () => {
    expect(nameKey('Caf\u00e9')).toBe(nameKey('Cafe\u0301'));
    expect(nameKey('Cafe')).not.toBe(nameKey('Café'));
    expect(nameKey('a')).not.toBe(nameKey('A'));
    expect(nameKey('a')).not.toBe(nameKey('a '));
  });
});

describe('foldName', () => {
  it('folds case beyond ASCII', () => expect(foldName('ÄPFEL')).toBe('äpfel'));
});
