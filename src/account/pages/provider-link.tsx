import { Name } from '../../presentation/components/text';
import type { Frame } from './frame';

interface ProviderLinkProps {
  frame: Frame;
  /** The page after sign-in; null for the first one. */
  next: string | null;
  provider: string;
}

/** Leads to the provider. A link, because the page's policy forbids forms that lead to other sites. */
export function ProviderLink({ frame, next, provider }: ProviderLinkProps) {
  const query = next === null ? '' : `?next=${encodeURIComponent(next)}`;
  return (
    <p class="actions">
      <a class="button" href={`${frame.base}/login/oidc${query}`}>
        Sign in with <Name>{provider}</Name>
      </a>
    </p>
  );
}
