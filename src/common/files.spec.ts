import { runInNewContext } from 'node:vm';
import { fileProblem } from './files';

it('explains a full disk, even if the error comes from another VM context', () => {
  const failed = "Object.assign(new Error('no space left'), { code: 'ENOSPC' })";
  const error: unknown = runInNewContext(failed);
  expect(error).not.toBeInstanceOf(Error);
  expect(fileProblem(error)).toMatch(/^the disk is full/);
});

it.each([new Error('unknown'), { code: 13 }, 'ENOSPC', null])('does not explain %p', (error) => {
  expect(fileProblem(error)).toBeNull();
});
