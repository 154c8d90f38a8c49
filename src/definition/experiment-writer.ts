import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../platform/access/scope';
import { inTurns } from '../common/event-loop';
import { dayOf, nowMicros, parseDay } from '../common/time/clock';
import { submit } from '../common/validation/submission';
import { ExperimentStatusService } from '../experiments/experiment-status.service';
import { ChangeStatus, CreateExperiment, UpdateExperiment } from '../experiments/experiment.dto';
import { ExperimentsService } from '../experiments/experiments.service';
import { CreateVariation, UpdateVariation } from '../experiments/variations/variation.record';
import { VariationsService } from '../experiments/variations/variations.service';
import { Application, at, idIn, itemPath } from './application';
import { apiNameOf, Item, itemsIn, variationsOf } from './definition';
import { fieldsIn, OF_EXPERIMENT, VARIATION_FIELDS } from './definition-fields';
import { referenceKey, toBody, writing } from './item-body';
import {
  absent,
  inOrderOfShares,
  WantedVariation,
  withoutOldOriginal,
  withoutShare,
} from './variation-writes';

const SECTION = 'experiments';

/** An experiment in the document. */
interface Wanted {
  item: Item;
  current: Item | null;
  path: string;
}

/** Applies the experiments of a document to a project with the services behind the individual routes. */
@Injectable()
export class ExperimentWriter {
  constructor(
    private readonly experiments: ExperimentsService,
    private readonly variations: VariationsService,
    private readonly statuses: ExperimentStatusService,
  ) {}

  /**
   * Makes the status changes that must come before updates, then the updates, the deletions, and the other status
   * changes.
   */
  async write(application: Application): Promise<void> {
    const wanted = itemsIn(application.document, SECTION).map((item, index): Wanted => {
      const current = application.current(SECTION, apiNameOf(item));
      const open = withoutDetached(withoutPassedEnd(item, current), current, application);
      return { item: open, current, path: itemPath(SECTION, index) };
    });
    for await (const each of inTurns(wanted.filter(movesFirst))) {
      await this.move(application, each);
    }
    for await (const each of inTurns(wanted)) {
      await this.define(application, each);
    }
    await this.prune(application);
    const later = wanted.filter((each) => !movesFirst(each));
    for await (const each of inTurns([...later.filter(stops), ...later.filter((one) => !stops(one))])) {
      await this.move(application, each);
    }
  }

  private async define(application: Application, wanted: Wanted): Promise<void> {
    const { item, current, path } = wanted;
    const fields = fieldsIn(SECTION);
    const { failures, scope } = application;
    const body = toBody({ ...wanted, fields, others: OF_EXPERIMENT }, application, failures);
    if (body === null) {
      application.reject(SECTION, apiNameOf(item));
    } else if (current === null) {
      await this.create(application, wanted, body);
    } else {
      const target = at(scope, idIn(application, SECTION, apiNameOf(item)));
      if (Object.keys(body).length > 0) {
        const submission = submit(UpdateExperiment, null, body);
        await writing({ path, fields }, failures, () => this.experiments.update(target, submission));
      }
      await this.defineVariations(application, wanted, target);
    }
  }

  private async create(application: Application, { item, path }: Wanted, body: object): Promise<void> {
    const { failures, scope } = application;
    const variations = variationsOf(item).map((each, index) =>
      toBody(
        { fields: VARIATION_FIELDS, item: each, current: null, path: `${path}.variations.${index}` },
        application,
        failures,
      ),
    );
    const submission = submit(CreateExperiment, null, { ...body, variations });
    const created = await writing({ path, fields: fieldsIn(SECTION) }, failures, () =>
      this.experiments.create(at(scope), submission),
    );
    application.created(SECTION, apiNameOf(item), created?.record.id ?? null);
  }

  private async defineVariations(
    application: Application,
    { item, current, path }: Wanted,
    experiment: ProjectScope,
  ): Promise<void> {
    if (current === null || item.variations === undefined) {
      return;
    }
    const known = new Map(variationsOf(current).map((each) => [apiNameOf(each), each]));
    const wanted = variationsOf(item).map((each, index): WantedVariation => ({
      item: each,
      current: known.get(apiNameOf(each)) ?? null,
      path: `${path}.variations.${index}`,
    }));
    const gone = application.options.prune ? absent(variationsOf(current), variationsOf(item)) : [];
    const original = gone.filter(({ is_original }) => is_original === true);
    const others = gone.filter((each) => !original.includes(each));
    const place = `${path}.variations`;
    await this.removeVariations(application, others, place, experiment);
    const freed = original.map((each) => withoutShare(each, place));
    for await (const each of inTurns(inOrderOfShares(withoutOldOriginal([...freed, ...wanted])))) {
      await this.defineVariation(application, each, experiment, original.length);
    }
    // The original can be removed only once another variation has become the original, or if it is the last variation.
    await this.removeVariations(application, original, place, experiment);
  }

  private async removeVariations(
    application: Application,
    variations: readonly Item[],
    path: string,
    experiment: ProjectScope,
  ): Promise<void> {
    for (const each of variations) {
      const target = this.variationAt(application, experiment, each);
      await application.removing(path, apiNameOf(each), () => this.variations.remove(target));
    }
  }

  private async defineVariation(
    application: Application,
    wanted: WantedVariation,
    experiment: ProjectScope,
    leaving: number,
  ): Promise<void> {
    const { failures } = application;
    const place = { ...wanted, fields: VARIATION_FIELDS };
    const body = toBody(place, application, failures);
    if (wanted.current === null) {
      const submission = submit(CreateVariation, null, body);
      const scope = { ...experiment, items: { experiment: experiment.target } };
      await writing(place, failures, () => this.variations.create(scope, submission, leaving));
    } else if (body !== null && Object.keys(body).length > 0) {
      const submission = submit(UpdateVariation, null, body);
      const target = this.variationAt(application, experiment, wanted.item);
      await writing(place, failures, () => this.variations.update(target, submission));
    }
  }

  private variationAt({ before }: Application, experiment: ProjectScope, variation: Item): ProjectScope {
    const records = [...before.experiments.values()].find(
      ({ id }) => id === experiment.target.id,
    )?.variations;
    const id = records?.find(({ api_name }) => api_name === apiNameOf(variation))?.id ?? 0;
    return { ...experiment, items: { experiment: experiment.target }, target: { id, version: 0 } };
  }

  private async prune(application: Application): Promise<void> {
    for await (const apiName of inTurns(application.toPrune(SECTION))) {
      const target = at(application.scope, idIn(application, SECTION, apiName));
      await application.removing(SECTION, apiName, () => this.experiments.remove(target));
    }
  }

  private async move(application: Application, { item, current, path }: Wanted): Promise<void> {
    const { options, failures, scope, rejected } = application;
    const name = apiNameOf(item);
    const { status } = item;
    const from = current === null ? 'draft' : current.status;
    const isMove = status !== undefined && status !== from;
    if (!options.status || !isMove || rejected.has(referenceKey(SECTION, name))) {
      return;
    }
    const target = at(scope, idIn(application, SECTION, name));
    const submission = submit(ChangeStatus, null, { status });
    const fields = fieldsIn(SECTION);
    await writing({ path, fields }, failures, () => this.statuses.change(target, submission));
  }
}

/**
 * Whether the status changes before the update. An archived experiment cannot be updated, and a stopped one accepts
 * more updates than a running one.
 */
const movesFirst = ({ item, current }: Wanted): boolean =>
  current?.status === 'archive' || (current?.status === 'running' && item.status !== 'archive');

/**
 * Whether the experiment stops or is archived. These changes come before starts, because stopping frees the name of the
 * experiment, and archiving frees its share of an exclusion group.
 */
const stops = ({ item, current }: Wanted): boolean =>
  current?.status === 'running' || item.status === 'archive';

/**
 * Removes those references from the item of an experiment that will match the document once records are deleted, if the
 * document keeps the experiment archived or archives it. Deleting a record detaches it from archived experiments, which
 * cannot be updated, and running experiments must keep some of their references. Other items are returned unchanged.
 */
function withoutDetached(item: Item, current: Item | null, application: Application): Item {
  if (current === null || statusAfter(item, current, application) !== 'archive') {
    return item;
  }
  const detached = fieldsIn(SECTION).filter(
    ({ name, references }) =>
      references !== null &&
      isDeepStrictEqual(item[name], remaining(current[name], application.toPrune(references))),
  );
  const names = detached.map(({ name }) => name);
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
}

/** The status of an existing experiment once the document is applied. */
const statusAfter = (item: Item, current: Item, { options }: Application): unknown =>
  options.status ? (item.status ?? current.status) : current.status;

/** A reference, or a list of references, as it will be once records are deleted. */
function remaining(value: unknown, deleted: ReadonlySet<unknown>): unknown {
  return Array.isArray(value)
    ? value.filter((name) => !deleted.has(name))
    : deleted.has(value)
      ? null
      : value;
}

/**
 * Removes a planned end that has passed, if the experiment does not have a planned end yet. Otherwise, the document
 * could not be applied to a second project, because new plans cannot end in the past.
 */
function withoutPassedEnd(item: Item, current: Item | null): Item {
  const { planned_end, ...others } = item;
  const end = typeof planned_end === 'string' ? parseDay(planned_end) : null;
  const isPassed = end !== null && end < dayOf(nowMicros());
  return isPassed && (current?.planned_end ?? null) === null ? others : item;
}
