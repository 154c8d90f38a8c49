import { quickstartText } from './demo-text';
import type { Quickstart } from './quickstart.service';

const textWith = (file: string): string => {
  const nothing = { users: [], experiments: [], passwords: {}, project: null, token: null, shop: null };
  const addresses = { server: 'http://localhost:3000', reference: 'http://localhost:3000/docs' };
  return quickstartText({ ...nothing, ...addresses, file } as unknown as Quickstart);
};

describe('the quick start text', () => {
  it('says to delete the demo folder', () => {
    expect(textWith('data/demo/gosset.sqlite')).toContain('delete data/demo,');
  });

  it.each(['gosset.sqlite', 'data/gosset.sqlite', '/srv/gosset.sqlite', '../site/gosset.sqlite'])(
    'never says to delete a folder with other files: %s',
    (file) => {
      expect(textWith(file)).toContain(`The demo is in ${file}\n`);
      expect(textWith(file)).not.toContain('delete');
    },
  );
});
