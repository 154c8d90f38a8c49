import { operation } from '../../common/openapi/operation';
import { PagedList } from '../../common/openapi/paged-list';
import { INVALID, MISSING } from '../../common/openapi/responses';
import { DEFAULT_PUBLICATIONS, MAX_PUBLICATIONS } from './publication-history.service';
import { PublicationRecord } from './publication.record';

const LIST = `Returns the publications of the project, newest first. The first one is live. \`changes\` compares each publication
with the one before it, in words and by field; code has a diff. Names are the current ones. The response always has pages:
without \`page\` it is the first one.`;

export const PREVIEW_TEXT = {
  id: 'previewPublication',
  summary: 'Preview a publication',
  description: `Returns what publishing the project would change now, and stores nothing. \`changes\` is what the list of
publications shows afterwards. \`experiments\` has the participants of each experiment that changes: edits of a running
experiment mix visitors who saw the old and the new version. If the project cannot be built, the response is 422, as for
publishing.`,
};

export const ROLLBACK_TEXT = {
  id: 'rollBackPublication',
  summary: 'Roll back to a publication',
  description: `Makes the content of an earlier revision live again, as a new revision, except experiments that are not running.
Definitions stay as they are, so the next publication publishes them again. If visitors get the same content already,
nothing is published. It is refused if a variation of a running experiment has been deleted since. \`If-Match\` and the
response refer to the project.`,
};

/** Reference of the list of publications. */
export const PublicationListOperation = (): MethodDecorator =>
  operation(
    { id: 'listPublications', summary: 'List publications', description: LIST },
    [],
    [
      PagedList(PublicationRecord, {
        plural: 'Publications',
        max: MAX_PUBLICATIONS,
        default: DEFAULT_PUBLICATIONS,
      }),
      MISSING,
      INVALID,
    ],
  );
