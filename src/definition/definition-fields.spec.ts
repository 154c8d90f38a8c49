import { inputFields } from '../common/validation/fields';
import { EXPERIMENT_DEFINITION } from '../experiments/definition-fields';
import { UpdateExperiment } from '../experiments/experiment.dto';
import { RESOURCES } from '../resources/registry';
import { fieldsIn, SECTIONS } from './definition-fields';

/*
 * Checks that new resources and fields have the declarations that definitions need. Each failure message says how to
 * fix the problem.
 */

describe('the definition of a project', () => {
  it('contains every resource that does not opt out', () => {
    const undecided = RESOURCES.filter(
      ({ hasApiName, inDefinition }) => !hasApiName && inDefinition !== false,
    );
    expect(
      undecided.map(
        ({ collection }) => `${collection}: give records an api_name, or declare inDefinition: false.`,
      ),
    ).toEqual([]);
  });

  it('covers every field of an experiment', () => {
    const undecided = inputFields(UpdateExperiment).filter(
      (name) => !Object.hasOwn(EXPERIMENT_DEFINITION, name),
    );
    expect(undecided.map((name) => `${name}: decide in src/experiments/definition-fields.ts.`)).toEqual([]);
  });

  it('contains no ids, because fields with ids of other records declare their targets', () => {
    const isId = (name: string): boolean => /_ids?$/.test(name);
    const ids = SECTIONS.flatMap((section) =>
      fieldsIn(section).flatMap(({ name }) =>
        isId(name) ? `${section}.${name}: declare it in references.` : [],
      ),
    );
    expect(ids).toEqual([]);
  });

  it('references only earlier sections, which are applied first', () => {
    const late = SECTIONS.flatMap((section, index) =>
      fieldsIn(section).flatMap(({ name, references }) =>
        references !== null && !SECTIONS.slice(0, index).includes(references)
          ? `${section}.${name}: ${references} must come before ${section} in the registry.`
          : [],
      ),
    );
    expect(late).toEqual([]);
  });
});
