import { AUDIT_ACTIONS } from '../../src/audit/audit-log';
import type { AuditEntryRecord } from '../../src/audit/history/audit-entry.record';
import { changeOf } from '../../src/audit/history/revert/decisions';
import { Reverters } from '../../src/audit/history/revert/reverters';
import { RESOURCES } from '../support/resources';
import { revertsIn } from '../support/reverts';
import { anotherProject, type Maker, useScene } from '../support/scene';

/* Audit entries that can be reverted, and entries that cannot. */

const scene = useScene();
const { last, revert } = revertsIn(scene);

describe('the revert of an audit entry', () => {
  const content = { before: { name: 'Old' }, after: { name: 'New' } };
  const CHANGES: Readonly<Record<string, { before: object | null; after: object | null }>> = {
    create: { ...content, before: null },
    clone: { ...content, before: null },
    restore: { ...content, before: null },
    update: content,
    delete: { ...content, after: null },
    revert: content,
  };

  it.each(AUDIT_ACTIONS)('is either possible or rejected with an alternative: %s', (action) => {
    const entry = { action, ...(CHANGES[action] ?? content) } as AuditEntryRecord;
    if (action in CHANGES) {
      expect(['create', 'update', 'delete']).toContain(changeOf(entry));
    } else {
      expect(() => changeOf(entry)).toThrow(/cannot be reverted\. .+\.$/);
    }
  });

  it('is implemented for every resource', () => {
    const reverters = scene.api.app.get(Reverters, { strict: false });
    const ways = RESOURCES.map(({ type }) => [type, typeof reverters.of(type)?.restore?.run]);
    expect(ways).toEqual(RESOURCES.map(({ type }) => [type, 'function']));
  });

  it('is rejected with an alternative for status changes, publications and rotations', async () => {
    const make = await anotherProject(scene, 'Others');
    const experiment = await make.withStatus('running', { example_url: 'https://shop.example.com/' });
    await scene.client.post(`${experiment.path}/previews/rotate`, {});
    await scene.client.post(`${experiment.path}/results/share/rotate`, {});
    const messages = await refusals(make, ['status', 'publish', 'rotate-previews', 'rotate-share-token']);
    expect(messages).toEqual([
      'The action status cannot be reverted. Change the status instead: PATCH /api/projects/{project}/experiments/{experiment}/status.',
      'The action publish cannot be reverted. Roll back instead: POST /api/projects/{project}/publications/{revision}/rollback.',
      'The action rotate-previews cannot be reverted. Earlier preview links stay invalid. Use the current preview_url.',
      'The action rotate-share-token cannot be reverted. The earlier share link stays invalid. Share the current link.',
    ]);
    const created = (await scene.client.get(`${make.project}/audit?action=create`))
      .body as AuditEntryRecord[];
    const [entry] = created.filter(({ item_type }) => item_type === 'project');
    expect((await revert(make.project, entry)).body.code).toBe('NOT_REVERTIBLE');
  });
});

async function refusals({ project }: Maker, actions: readonly string[]): Promise<string[]> {
  const messages: string[] = [];
  for (const action of actions) {
    const answer = await revert(project, await last(project, `&action=${action}`));
    expect([answer.status, answer.body.code]).toEqual([422, 'NOT_REVERTIBLE']);
    messages.push(answer.body.message as string);
  }
  return messages;
}
