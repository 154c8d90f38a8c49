import { Readable } from 'node:stream';
import { applyDecorators, Controller, Get, Header, Headers, HttpCode, Post, Query } from '@nestjs/common';
import { ApiExtraModels, ApiQuery, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Streamed, type Listed, type Shown } from '../../common/http/answers';
import { DEFAULT_PER_PAGE, MAX_PER_PAGE, readOwnPage, type RawQuery } from '../../common/lists/list-query';
import {
  formWithoutId,
  IF_NONE_MATCH,
  LIST_HEADERS,
  LIST_NOT_MODIFIED,
  operation,
  PageQueries,
} from '../../common/openapi/operation';
import { ActionOperation } from '../../common/openapi/operations';
import { headersNamed, INVALID, MISSING } from '../../common/openapi/responses';
import { Failures } from '../../common/validation/failures';
import { Submission, Submitted } from '../../common/validation/submission';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import { prefersNamed } from '../../presentation/media-types';
import { PROJECT_ACTIONS } from '../audit-log';
import { AuditEntryRecord } from './audit-entry.record';
import { ITEM_TYPES, readHistoryFilter } from './history-query';
import { HistoryService } from './history.service';
import { entryPath } from './history.store';
import { RevertAuditEntry, RevertService } from './revert/revert.service';

/** JSON Lines, one line per entry. */
const LINES_SUBTYPE = 'x-ndjson';
const LINES_TYPE = `application/${LINES_SUBTYPE}`;

const DESCRIPTION = `Returns the audit log of the project, newest first: every change with its author and the changed fields. Entries are
never changed or deleted. The response is always paginated; without \`page\`, it is the first page.
If a page would exceed about 4 MB, the text of its long entries is truncated, followed by its length. A list or an object
that is still long becomes a string with the beginning of its JSON. To read an entry in full, set \`per_page\` to 1.

With \`Accept: ${LINES_TYPE}\`, the response streams all entries as newline-delimited JSON, oldest first, in
full and without pagination. To follow the log, repeat the request with the \`id\` of the last line as \`after_id\`: no entry is skipped.

Sign-ins, users and tokens do not belong to a project and are not listed.`;

const NUMBER = { type: 'integer', minimum: 0 } as const;
const TIME = { type: 'string', format: 'date-time' } as const;

const QUERIES = [
  {
    name: 'item_type',
    description: `Return only changes to these record types, comma-separated or repeated: ${ITEM_TYPES.join(', ')}.`,
    schema: { type: 'string' as const },
    example: 'experiment',
  },
  {
    name: 'item_id',
    description:
      'Return only changes to the record with this id. Set `item_type` as well, because ids of different types overlap.',
    schema: NUMBER,
  },
  {
    name: 'user_id',
    description: 'Return only changes by this user, including those made with a token.',
    schema: NUMBER,
  },
  {
    name: 'search',
    description: 'Return only changes to records whose name contains this text; case-insensitive.',
    schema: { type: 'string' as const },
    example: 'button',
  },
  {
    name: 'action',
    description: `Return only these actions, comma-separated or repeated: ${PROJECT_ACTIONS.join(', ')}.`,
    schema: { type: 'string' as const },
    example: 'update',
  },
  { name: 'since', description: 'Return only changes at or after this time (ISO 8601).', schema: TIME },
  { name: 'until', description: 'Return only changes before this time (ISO 8601).', schema: TIME },
  { name: 'after_id', description: 'Return only entries with an id higher than this one.', schema: NUMBER },
] as const;

const { ETag, 'X-Total-Count': total, Link } = headersNamed(LIST_HEADERS);
/** Response headers that a page of entries has but the stream does not. */
const OF_PAGES = {
  ETag: { ...ETag, required: false },
  'X-Total-Count': { ...total, required: false },
  Link,
};

/** Reference for the audit log. */
const HistoryOperation = (): MethodDecorator =>
  operation(
    { id: 'listAuditEntries', summary: 'List changes', description: DESCRIPTION },
    [],
    [
      applyDecorators(
        ApiExtraModels(AuditEntryRecord),
        ApiResponse({
          status: 200,
          description: 'One page of entries, or all entries as a stream.',
          headers: OF_PAGES,
          content: {
            'application/json': {
              schema: { type: 'array', items: { $ref: getSchemaPath(AuditEntryRecord) } },
              example: [AuditEntryRecord.example],
            },
            [LINES_TYPE]: {
              schema: { type: 'string' },
              example: JSON.stringify(AuditEntryRecord.example),
            },
          },
        }),
        ...QUERIES.map((query) => ApiQuery({ required: false, ...query })),
        PageQueries({ plural: 'Entries', max: MAX_PER_PAGE, default: DEFAULT_PER_PAGE }),
      ),
      IF_NONE_MATCH,
      LIST_NOT_MODIFIED,
      MISSING,
      INVALID,
    ],
  );

@ApiTags('Projects')
@Controller('projects/:project')
@InProject({ collection: 'record', items: [], isLive: true })
export class HistoryController {
  constructor(private readonly history: HistoryService) {}

  @Get('audit')
  @Can('read')
  @Header('Vary', 'Accept')
  @HistoryOperation()
  async list(
    @InScope() { projectId }: ProjectScope,
    @Query() query: RawQuery,
    @Headers('accept') accept: string | undefined,
  ): Promise<Listed<AuditEntryRecord> | Streamed> {
    const failures = new Failures();
    const filter = readHistoryFilter(query, failures);
    const page = prefersNamed(accept, LINES_SUBTYPE) ? null : readOwnPage(query, failures);
    failures.throwIfAny();
    return page === null
      ? new Streamed(Readable.from(this.history.lines(projectId, filter)), LINES_TYPE)
      : this.history.list(projectId, filter, page);
  }
}

const REVERT_TEXT = {
  id: 'revertAuditEntry',
  summary: 'Revert a change',
  description: `Reverts the change recorded in an entry, unless one of its fields has changed since. Reverting an update restores
the old field values, reverting a creation deletes the record, and reverting a deletion restores the record with its id. The
rules and permissions for these changes apply. If the change cannot be reverted, the response is 422 and names the fields
that have changed (\`CHANGED_SINCE\`), or says what to do instead (\`NOT_REVERTIBLE\`): status changes, publications, links
and settings made with the admin command cannot be reverted.

Returns the new entry, with the action \`revert\`, which can itself be reverted. With \`dry_run=1\`, the entry shows what would
change. A restored experiment is not running, and a restored item is not attached to experiments. Edits to running
experiments go live when you publish the project. \`If-Match\` and the ETag refer to the changed record;
a deleted record matches no \`If-Match\`.`,
};

@ApiTags('Projects')
@Controller('projects/:project/audit/:entry')
@InProject({ collection: 'record', items: [entryPath], isLive: true })
export class RevertController {
  constructor(private readonly reverts: RevertService) {}

  /** Reverts a change. The kind of change determines the additional permissions. */
  @Post('revert')
  @HttpCode(200)
  @Can('definitions:write')
  @ActionOperation(AuditEntryRecord, RevertAuditEntry, REVERT_TEXT, {
    dryRun: formWithoutId(AuditEntryRecord),
  })
  revert(
    @InScope() scope: ProjectScope,
    @Submitted(RevertAuditEntry) submission: Submission<RevertAuditEntry>,
  ): Promise<Shown<AuditEntryRecord>> {
    submission.failures().throwIfAny();
    return this.reverts.revert(scope, scope.items.entry.id);
  }
}
