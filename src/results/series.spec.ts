import { SeriesEntry } from './series.record';
import { seriesCsv } from './series';

const nameIn = (variation_name: string): string => {
  const csv = seriesCsv([{ ...SeriesEntry.example, variation_name, value: -5, cumulative_value: -7.5 }]);
  const [, name] = /\r\n2026-05-02,23248305,(.*),411,30,32,-5,806,58,61,-7.5\r\n$/s.exec(csv) ?? [];
  return name;
};

describe('the name of a variation in CSV', () => {
  it.each([
    ['Green', 'Green'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@cell', "'@cell"],
    ['\tcell', "'\tcell"],
    ['\rcell', '"\'\rcell"'],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠cell', "'＠cell"],
    ['a＝b', 'a＝b'],
    ['=A1,"x"', '"\'=A1,""x"""'],
    ['a=b', 'a=b'],
    [' =1', ' =1'],
    ["'=1", "'=1"],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
  ])('%j is written as %j', (name, written) => expect(nameIn(name)).toBe(written));
});
