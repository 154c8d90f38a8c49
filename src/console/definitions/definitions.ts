import { Injectable } from '@nestjs/common';
import type { ProjectPlace } from '../../platform/access/scope';
import type { AudienceRecord } from '../../resources/audiences/audience.record';
import { AUDIENCES } from '../../resources/audiences/audiences.resource';
import { firstNumber, firstValue, type RawQuery } from '../../common/lists/list-query';
import { readPage } from '../../common/lists/pagination';
import type { EnvironmentRecord } from '../../resources/environments/environment.record';
import { Database } from '../../database/database';
import { ENVIRONMENTS } from '../../resources/environments/environments.resource';
import type { ExclusionGroupRecord } from '../../resources/exclusion-groups/exclusion-group.record';
import { EXCLUSION_GROUPS } from '../../resources/exclusion-groups/exclusion-groups.resource';
import type { GoalRecord } from '../../resources/goals/goal.record';
import { type Holder, holdersOfGroups } from '../../experiments/exclusion/exclusion-range.store';
import { GOALS } from '../../resources/goals/goals.resource';
import type { PageRecord } from '../../resources/pages/page.record';
import { PAGES } from '../../resources/pages/pages.resource';
import { ResourceItems } from '../../resources/registry';
import { DefinitionUses, type PageGoal, type Use } from './definition-uses.store';

const PER_PAGE = 25;

export const DEFINITIONS = {
  goals: GOALS,
  pages: PAGES,
  audiences: AUDIENCES,
  exclusion_groups: EXCLUSION_GROUPS,
  environments: ENVIRONMENTS,
};

export type DefinitionKind = keyof typeof DEFINITIONS;

export const DEFINITION_KINDS = Object.keys(DEFINITIONS) as DefinitionKind[];

export type DefinitionRecord =
  GoalRecord | PageRecord | AudienceRecord | ExclusionGroupRecord | EnvironmentRecord;

/** One page of the definitions of one kind. */
export interface DefinitionList {
  kind: DefinitionKind;
  records: DefinitionRecord[];
  uses: ReadonlyMap<number, readonly Use[]>;
  /** The experiments with shares of exclusion groups, by group id. */
  holders: ReadonlyMap<number, readonly Holder[]>;
  /** The names of goals' pages, by page id. */
  pageNames: ReadonlyMap<number, string>;
  /** The goals that count views of a page, by page id. */
  pageGoals: ReadonlyMap<number, readonly PageGoal[]>;
  total: number;
  /** The page number, from 1. */
  page: number;
  lastPage: number;
}

/** Reads a project's definitions page by page, sorted by name. */
@Injectable()
export class Definitions {
  constructor(
    private readonly items: ResourceItems,
    private readonly uses: DefinitionUses,
    private readonly database: Database,
  ) {}

  /** Reads the page of definitions that the query selects. Users can edit URLs, so invalid values are ignored. */
  async read({ projectId }: ProjectPlace, query: RawQuery): Promise<DefinitionList> {
    const kind = DEFINITION_KINDS.find((known) => known === firstValue(query, 'kind')) ?? 'goals';
    const items = this.items.of(DEFINITIONS[kind]);
    const { list, page, lastPage } = await readPage(firstNumber(query, 'page') ?? 1, PER_PAGE, (number) =>
      items.list({ projectId }, { sort: 'name', page: String(number), per_page: String(PER_PAGE) }),
    );
    const records = list.rows as DefinitionRecord[];
    const ids = records.map(({ id }) => id);
    const uses = await this.uses.of(kind, ids);
    const holders =
      kind === 'exclusion_groups' && ids.length > 0
        ? await holdersOfGroups(this.database.read, ids)
        : new Map<number, Holder[]>();
    const pages = records.flatMap((record) => ('page_id' in record ? (record.page_id ?? []) : []));
    const pageNames = await this.uses.pageNames(pages);
    const pageGoals = await this.uses.goalsOfPages(kind === 'pages' ? ids : []);
    return { kind, records, uses, holders, pageNames, pageGoals, total: list.total, page, lastPage };
  }
}
