import { errorMessage, loggedError } from './logged-error';

const fromMysql = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code, sqlState: '23000' });

function syntaxErrorOf(text: string): Error {
  try {
    JSON.parse(text);
  } catch (error) {
    return error as Error;
  }
  throw new Error('The text is JSON.');
}

it.each(["S3CR3T's", "it's S3CR3T", `'S3CR3T" tail`, "[1, 'S3CR3T']"])(
  'hides text that is not JSON: %s',
  (text) => {
    const { message, stack } = loggedError(syntaxErrorOf(text));
    expect(message).toContain('[hidden]');
    expect(`${message}${stack}`).not.toMatch(/S3CR3T|tail/);
  },
);

it.each([
  [
    "Duplicate entry 'O'S3CR3T \"x\"' for key 'users.email'",
    "Duplicate entry '[hidden]' for key 'users.email'",
  ],
  ["Duplicate entry 'a' for key 'S3CR3T' for key 'PRIMARY'", "Duplicate entry '[hidden]' for key 'PRIMARY'"],
  ["You have an error near '\"S3CR3T's' at line 1", "You have an error near '[hidden]' at line 1"],
  [
    "Incorrect integer value: 'S3CR3T' for column 'limit' at row 1",
    "Incorrect integer value: '[hidden]' for column 'limit' at row 1",
  ],
])('hides the values in a message of MySQL: %s', (message, logged) => {
  expect(errorMessage(fromMysql('ER_ANY', message))).toBe(logged);
});

it.each([
  ['ER_NO_SUCH_TABLE', "Table 'gosset.nowhere' doesn't exist"],
  ['ER_CHECK_CONSTRAINT_VIOLATED', "Check constraint 'cells_phase' is violated."],
  ['ER_CANT_DROP_FIELD_OR_KEY', "Can't DROP 'ix_events'; check that column/key exists"],
  ['ER_HOST_NOT_PRIVILEGED', "Host '10.0.0.1' is not allowed to connect to this MySQL server"],
  ['WARN_DATA_TRUNCATED', "Data truncated for column 'status' at row 1"],
])('keeps the names in %s', (code, message) => {
  expect(errorMessage(fromMysql(code, message))).toBe(message);
});

it('names the addresses of a host that refuses all connections', () => {
  const refusals = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:3306`));
  expect(errorMessage(new AggregateError(refusals))).toBe(
    'connect ECONNREFUSED ::1:3306, connect ECONNREFUSED 127.0.0.1:3306',
  );
});
