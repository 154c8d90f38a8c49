import { roleAllows } from '../../platform/access/roles';
import { whoMay } from '../../account/pages/error-page';
import type { Frame } from '../../account/pages/frame';
import type { ExperimentView } from '../experiment-view';
import type { Advice } from '../step-advice';
import { StepAction } from './actions';
import { liveEventsPath, projectPath } from './console-page';

/** The next steps. Users without the permissions see who has them. */
export function NextStepsCard({ frame, ...page }: ExperimentView & { frame: Frame }) {
  const { project, advice, steps, role } = page;
  const allowed = steps.filter(({ permission }) => roleAllows(role, permission));
  const [refused] = steps.filter(({ permission }) => !roleAllows(role, permission));
  return advice === null && steps.length === 0 ? null : (
    <section class="card stack screen-only" aria-labelledby="next">
      <h2 id="next">Next step</h2>
      {advice !== null && <AdviceText frame={frame} projectId={project.id} {...advice} />}
      {allowed.map((step, index) => (
        <div key={step.key} class="step">
          <h3>{step.title}</h3>
          <p class="muted">{step.text}</p>
          <StepAction id={`step-${index}`} frame={frame} subject={page} step={step} />
        </div>
      ))}
      {allowed.length === 0 && refused !== undefined && (
        <p class="who-may">
          {refused.title}: {whoMay(role, refused.permission)}
        </p>
      )}
    </section>
  );
}

function AdviceText({
  frame,
  projectId,
  title,
  text,
  isAboutEvents,
}: Advice & { frame: Frame; projectId: number }) {
  return (
    <div class="advice">
      <h3>{title}</h3>
      <p>{text}</p>
      {isAboutEvents && (
        <p class="page-links">
          <a href={`${frame.base}${projectPath(projectId)}#installation`}>Installation</a>
          <a href={`${frame.base}${liveEventsPath(projectId)}`}>Live events</a>
        </p>
      )}
    </div>
  );
}
