import { Name } from '../../presentation/components/text';
import type { GoalResults } from '../../results/experiment-results';
import type { VerdictText } from '../verdict';
import { ToneIcon } from './tone-icon';

/** All goals with their verdicts at a glance. */
export function Overview({ goals }: { goals: readonly { goal: GoalResults; verdict: VerdictText }[] }) {
  return (
    <section class="card" aria-labelledby="overview">
      <h2 id="overview">At a glance</h2>
      <ul class="overview">
        {goals.map(({ goal, verdict }, index) => (
          <li key={goal.id}>
            <span>
              <a href={`#goal-${goal.id}`}>
                <Name>{goal.name}</Name>
              </a>
              {index === 0 && <span class="eyebrow"> Primary goal</span>}
            </span>
            <span class={`overview-verdict tone-${verdict.tone}`}>
              <ToneIcon tone={verdict.tone} />
              <span>{verdict.headline}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
