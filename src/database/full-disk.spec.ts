import { FullDisk } from './full-disk';

const fail = (code: string): (() => Promise<never>) => {
  return () => Promise.reject(Object.assign(new Error('failed'), { code }));
};

describe('FullDisk', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each(['ER_RECORD_FILE_FULL', 'ER_DISK_FULL'])(
    'reports %s until there is no failure for a while',
    async (code) => {
      const disk = new FullDisk();
      expect(disk.problem).toBeNull();
      await expect(disk.watch(fail(code))).rejects.toThrow('failed');
      expect(disk.problem).toContain('disk is full');
      jest.advanceTimersByTime(60_000);
      expect(disk.problem).toBeNull();
    },
  );

  it('ignores other failures, and returns results', async () => {
    const disk = new FullDisk();
    await expect(disk.watch(fail('ER_LOCK_DEADLOCK'))).rejects.toThrow('failed');
    expect([await disk.watch(() => Promise.resolve('stored')), disk.problem]).toEqual(['stored', null]);
  });
});
