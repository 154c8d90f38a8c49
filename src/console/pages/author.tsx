import type { ActorType, AuditActor } from '../../audit/history/audit-entry.record';
import { Name } from '../../presentation/components/text';

const SERVER: Readonly<Record<Exclude<ActorType, 'user' | 'token'>, string>> = {
  command: 'Server or admin command',
  schedule: 'Schedule',
  guardrail: 'Guardrail',
};

/** The author of a change, with the API token that was used. */
export function Author({ actor }: { actor: AuditActor }) {
  if (actor.type !== 'user' && actor.type !== 'token') {
    return <>{SERVER[actor.type]}</>;
  }
  return (
    <>
      {actor.user_name === null ? 'A deleted user' : <Name>{actor.user_name}</Name>}
      {actor.type === 'token' && (
        <span class="range">
          API token{actor.token_name === null ? ', revoked' : <TokenName name={actor.token_name} />}
        </span>
      )}
    </>
  );
}

const TokenName = ({ name }: { name: string }) => (
  <>
    {' '}
    <Name>{name}</Name>
  </>
);
