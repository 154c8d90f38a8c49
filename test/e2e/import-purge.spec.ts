import { importFormatOf } from '../../src/events/file-formats';
import { ImportService } from '../../src/events/import/import.service';
import { ImportStore } from '../../src/events/import/import.store';
import { TrashService } from '../../src/projects/trash/trash.service';
import { exposed, ndjson, useImports } from '../support/imports';
import type { Made } from '../support/scene';

/* Imports of files with exposures of a purged experiment. */

const imports = useImports();
const { scene } = imports;

const importHere = (file: string) =>
  scene.api.app
    .get(ImportService, { strict: false })
    .import({ projectId: imports.importer.projectId, file, format: importFormatOf(file)! });

describe('an import after an experiment was purged', () => {
  const purge = async ({ path, id }: Made): Promise<void> => {
    await scene.client.delete(path);
    const trash = scene.api.app.get(TrashService, { strict: false });
    expect(await trash.purge({ type: 'experiment', id }, 'admin')).toBeNull();
  };
  const fileFor = (experiment: Made, name: string, visitors: number): string => {
    const named = { experiment_id: experiment.api_name, variation_id: experiment.variations[0].api_name };
    const rows = Array.from({ length: visitors }, () => ({ ...exposed(experiment, 0), ...named }));
    return imports.importer.file(name, ndjson(rows));
  };
  const participantsOf = async ({ path }: Made): Promise<number> =>
    (await scene.client.get(`${path}/results/info`)).body.participants as number;

  it('reads the file again', async () => {
    const { make } = scene;
    const first = await make.withStatus('running');
    const path = fileFor(first, 'purged.ndjson', 3);
    expect(await importHere(path)).toMatchObject({ accepted: 3, imported_before: false });
    await purge(first);
    const second = await make.withStatus('running', { api_name: first.api_name });
    expect(await importHere(path)).toMatchObject({ accepted: 3, imported_before: false });
    expect(await participantsOf(second)).toBe(3);
    expect(await importHere(path)).toMatchObject({ accepted: 3, imported_before: true });
  });

  it('does not finish if the experiment was purged meanwhile', async () => {
    const { make, api } = scene;
    const first = await make.withStatus('running');
    const path = fileFor(first, 'purging.ndjson', 3);
    const store = api.app.get(ImportStore, { strict: false });
    const finish = store.finish.bind(store);
    jest.spyOn(store, 'finish').mockImplementationOnce(async (state, version) => {
      await purge(first);
      await finish(state, version);
    });
    await expect(importHere(path)).rejects.toThrow('an experiment was purged');
    const second = await make.withStatus('running', { api_name: first.api_name });
    expect(await importHere(path)).toMatchObject({ accepted: 3, resumed_after: null });
    expect(await participantsOf(second)).toBe(3);
  });
});
