import { ApiSchema, OmitType } from '@nestjs/swagger';
import { Unstored } from '../common/openapi/safe-retries';
import { ProjectRecord } from './project.record';

/** A project in the response of a dry run. */
@ApiSchema({ description: 'A project in a dry run, without id and client key.' })
export class DryRunProjectRecord extends OmitType(ProjectRecord, ['id', 'client_key', 'snippet_url']) {
  @Unstored()
  id: null;

  @Unstored()
  client_key: null;

  @Unstored()
  snippet_url: null;

  static readonly example: DryRunProjectRecord = toUnstoredProject(ProjectRecord.example);
}

/** @param record the record of the new project */
export function toUnstoredProject(record: ProjectRecord): DryRunProjectRecord {
  return { ...record, id: null, client_key: null, snippet_url: null };
}
