import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ExportService } from '../../src/events/export/export.service';
import { StandardOutput } from '../../src/events/export/export-target';
import { AdminCommand } from '../support/admin';
import { useScene } from '../support/scene';

describe('an export that is interrupted', () => {
  const scene = useScene();

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('by %s, even repeated, leaves no file', async (signal) => {
    const admin = new AdminCommand(scene.api.databaseUrl, {
      NODE_OPTIONS: `--require ${join(__dirname, '../support/interrupted-export.cjs')}`,
      SIGNAL: signal,
    });
    const project = String(scene.world.projectId);
    expect(await admin.runAlone(['events:export', '--project', project, '--output', 'events.csv'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The export was interrupted. Nothing was written.\n',
    });
    expect(readdirSync(admin.folder)).toEqual([]);
    admin.remove();
  });

  it('says that the events on standard output are incomplete', async () => {
    const exports = scene.api.app.get(ExportService, { strict: false });
    const { projectId } = scene.world;
    const request = { projectId, format: 'csv' as const, output: '-', rules: null, overwrite: false };
    const all = { experimentId: null, from: null, until: null };
    const write = jest.spyOn(StandardOutput.prototype, 'write').mockResolvedValue();
    await expect(exports.export({ ...request, ...all }, null, AbortSignal.abort())).rejects.toThrow(
      'The export was interrupted. The events on standard output are incomplete.',
    );
    write.mockRestore();
  });
});
