import type { ComponentChildren } from 'preact';
import { formatMicros, type Micros } from '../../common/time/clock';
import { Moment } from '../../presentation/components/text';
import { formatCount, formatShare } from '../../presentation/text/numbers';
import type { ExperimentResults } from '../../results/experiment-results';
import { hasManyCrossovers } from '../../results/experiment-warnings';
import type { SnippetSeen } from '../share-model';
import type { Tone } from '../verdict';
import { ToneIcon } from './tone-icon';

interface DataHealthProps {
  results: ExperimentResults;
  lastEventAt: Micros | null;
  /** On pages of members; null on shared pages. */
  snippet: SnippetSeen | null;
  /** The traffic split. */
  children?: ComponentChildren;
}

/** Whether the data can be relied on: sample ratio, crossovers, last event and snippet. */
export function DataHealth({ results, lastEventAt, snippet, children }: DataHealthProps) {
  return (
    <section class="card health" aria-labelledby="health">
      <h2 id="health">Health of the data</h2>
      <dl class="health-list">
        <Check title="Sample ratio" {...ratioCheck(results)} />
        <Check title="Crossovers" {...crossoverCheck(results)} />
        <div>
          <dt>Last event</dt>
          <dd>{lastEventAt === null ? 'None yet' : <Moment at={formatMicros(lastEventAt)} />}</dd>
        </div>
        {snippet !== null && (
          <div>
            <dt>Snippet last seen</dt>
            <dd>
              {snippet.at === null ? (
                <>
                  Not since <Moment at={snippet.since} />
                </>
              ) : (
                <Moment at={snippet.at} />
              )}
            </dd>
          </div>
        )}
      </dl>
      {children}
    </section>
  );
}

interface CheckWords {
  tone: Tone;
  word: string;
  detail: string;
}

function Check({ title, tone, word, detail }: CheckWords & { title: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd class={`health-check tone-${tone}`}>
        <ToneIcon tone={tone} />
        <span>
          {word}
          <span class="range">{detail}</span>
        </span>
      </dd>
    </div>
  );
}

function ratioCheck({ participants, sampleRatio }: ExperimentResults): CheckWords {
  const unchecked = (detail: string): CheckWords => ({ tone: 'nothing', word: 'Not checked yet', detail });
  if (participants === 0) {
    return unchecked('There are no participants.');
  }
  if (sampleRatio.isMismatch) {
    const detail = 'The participants are not split according to the shares.';
    return { tone: 'doubt', word: 'Mismatch', detail };
  }
  if (sampleRatio.degreesOfFreedom === 0) {
    return unchecked('No participants can be compared with the shares.');
  }
  return sampleRatio.isDetectable
    ? { tone: 'better', word: 'Passed', detail: 'The participants are split according to the shares.' }
    : unchecked('There are too few participants.');
}

function crossoverCheck({ participants, crossovers }: ExperimentResults): CheckWords {
  const share = participants === 0 ? 0 : crossovers / participants;
  const counted = `${formatCount(crossovers)} participants`;
  return hasManyCrossovers({ participants, crossovers })
    ? { tone: 'doubt', word: `${formatShare(share)}, too many`, detail: counted }
    : { tone: 'better', word: crossovers === 0 ? 'None' : formatShare(share), detail: counted };
}
