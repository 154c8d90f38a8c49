import { entities } from '../../entities';
import { createWriter } from '../data-source';
import { copiedTables } from './copied-tables';

describe('the tables of a copy', () => {
  it('are in the same order in every process: by name, but after the tables that they refer to', async () => {
    const source = await createWriter({ engine: 'sqlite', file: ':memory:' }, entities);
    await source.initialize();
    const references = source.entityMetadatas.flatMap(({ tableName, foreignKeys }) =>
      foreignKeys.map(({ referencedTablePath }) => [tableName, referencedTablePath]),
    );
    await source.destroy();
    const names = (await copiedTables(entities)).map(({ name }) => name);
    const isFree = (name: string): boolean => !references.flat().includes(name);
    expect(references.filter(([from, to]) => names.indexOf(from) < names.indexOf(to))).toEqual([]);
    expect(names.filter(isFree)).toEqual(names.filter(isFree).sort());
    expect(names.filter(isFree).length).toBeGreaterThan(10);
  });
});
