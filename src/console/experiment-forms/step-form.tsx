import type { ConsoleForm } from '../forms/console-form';
import { experimentCrumbs, type ExperimentSubject, pagePathOf } from '../experiment-subject';
import type { NextStep } from '../next-steps';

/** A step that completes the definition of the experiment. */
export interface StepSubject extends ExperimentSubject {
  step: NextStep;
}

const BUTTONS: Readonly<Record<string, string>> = {
  'create-variations': 'Add the original',
  'create-comparison': 'Add a variation',
  'fill-variations': 'Give the remaining traffic to the last variation',
  'create-pages': 'Create the page “All pages”',
  'attach-pages': 'Attach this page',
  'create-goals': 'Create the goal “Order placed”',
  'attach-goals': 'Attach this goal',
  'attach-environments': 'Attach this environment',
};

/** Adds a part that the experiment needs to start. */
export const STEP_FORM: ConsoleForm<StepSubject> = {
  path: (subject) => `${pagePathOf(subject)}/step`,
  crumbs: experimentCrumbs,
  title: ({ step }) => step.title,
  permission: ({ step }) => step.permission,
  // The record that the step names may have been deleted.
  describes: ({ step }) => step.call,
  values: ({ step }) => ({ step: step.key }),
  Body: ({ subject: { step } }) => (
    <>
      <input type="hidden" name="step" value={step.key} />
      <p>{step.text}</p>
    </>
  ),
  button: ({ step }) => BUTTONS[step.key] ?? 'Continue',
  call: ({ step }) => step.call,
  done: (subject) => ({ path: pagePathOf(subject), notice: 'saved' }),
};
