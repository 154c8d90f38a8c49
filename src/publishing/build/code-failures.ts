import type { Failure } from '../../common/errors/api-errors';
import { checkFunctionBody, checkScript } from '../../common/validation/code';
import type { LiveDefinitions, LiveExperiment } from '../definitions';

/**
 * Finds code that must not be compiled into the script, because it would break out of its function. Stored code has
 * passed these checks on input; a publication does not rely on that.
 */
export function codeFailures({ environments, experiments }: LiveDefinitions): Failure[] {
  return [
    ...environments.flatMap(({ id, code }) => failure(`environments.${id}.code`, checkFunctionBody(code))),
    ...experiments.flatMap(experimentFailures),
  ];
}

function experimentFailures({ id, js, reset_js, variations }: LiveExperiment): Failure[] {
  const path = `experiments.${id}`;
  const check = (field: string, code: string | null): Failure[] =>
    code === null ? [] : failure(`${path}.${field}`, checkScript(code));
  return [
    ...check('js', js),
    ...check('reset_js', reset_js),
    ...variations.flatMap((variation) => check(`variations.${variation.id}.js`, variation.js)),
  ];
}

const failure = (path: string, problem: string | null): Failure[] =>
  problem === null ? [] : [{ path, message: `It cannot be published: ${problem}` }];
