import type { ProjectRecord } from '../../projects/project.record';

/** The statistical methods in words. */
export const METHODS: Record<ProjectRecord['statistics_method'], string> = {
  sequential: 'Sequential: valid on every day',
  planned: 'Planned: valid on every day, until the planned sample',
  frequentist: 'Frequentist: valid at the planned end only',
  bayesian: 'Bayesian: valid at the planned end only',
};

/** The storage of a visitor's assignment in the browser. */
export const STORAGES: Record<ProjectRecord['storage'], string> = {
  localStorage: 'Local storage',
  cookie: 'A cookie',
};
