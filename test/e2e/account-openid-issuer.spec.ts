import { useOpenId } from '../support/openid';

/* Accounts from different providers. */

const scene = useOpenId();

it("an account is distinct from another provider's account with the same id", async () => {
  const person = await scene.api.person();
  const name = await scene.verified(person.email);
  await scene.browser().withAccount(name);
  const rows: object[] = await scene.api.database.read.query(
    'SELECT issuer FROM identities WHERE subject = ?',
    [name],
  );
  expect(rows).toEqual([{ issuer: scene.provider.issuer }]);
  await scene.api.database.transaction((tx) =>
    tx.query('UPDATE identities SET issuer = ? WHERE subject = ?', ['https://other.example', name]),
  );
  await scene.provider.account(name, { email: 'stranger@example.com', email_verified: true });
  expect((await scene.browser().withAccount(name)).status).toBe(403);
});
