import type { ComponentChildren } from 'preact';
import { Layout } from '../../presentation/layout';
import { CSRF_FIELD } from '../csrf';

/** The data that every page needs. */
export interface Frame {
  /** Prefix of page paths, if the server is reached below a path. */
  base: string;
  /** The signed-in user, if any. */
  email: string | null;
  /** The CSRF token for the page's forms. */
  csrfToken: string;
  /** The nonce of the page's script in its content security policy. */
  nonce: string;
}

/** The navigation items in the header. */
const SECTIONS = [
  { key: 'experiments', path: '/', name: 'Experiments' },
  { key: 'settings', path: '/settings/api-tokens', name: 'Settings' },
] as const;

type Section = (typeof SECTIONS)[number]['key'];

interface FramedPageProps {
  frame: Frame;
  title: string;
  /** The current navigation item. */
  section?: Section | undefined;
  /** Prefix of the title after an error. */
  prefix?: string | undefined;
  children: ComponentChildren;
}

/** A page with the common header. */
export function FramedPage({ frame, title, section, prefix = '', children }: FramedPageProps) {
  const script = { address: `${frame.base}/assets/pages.js`, nonce: frame.nonce };
  return (
    <Layout title={`${prefix}${title} – Gosset`} referrer="same-origin" script={script}>
      <div class="page">
        <header class="topline">
          <span class="brand">Gosset</span>
          {frame.email !== null && (
            <>
              <Sections frame={frame} current={section} />
              <SignedInAs frame={frame} email={frame.email} />
            </>
          )}
        </header>
        {children}
      </div>
    </Layout>
  );
}

function Sections({ frame, current }: { frame: Frame; current: Section | undefined }) {
  return (
    <nav class="sections" aria-label="Gosset">
      {SECTIONS.map(({ key, path, name }) => (
        <a key={key} href={`${frame.base}${path}`} aria-current={key === current ? 'true' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

function SignedInAs({ frame, email }: { frame: Frame; email: string }) {
  return (
    <form class="signed-in" method="post" action={`${frame.base}/logout`}>
      <CsrfField frame={frame} />
      <span class="who" title={email}>
        <span class="visually-hidden">Signed in as </span>
        <bdi>{email}</bdi>
      </span>
      <button class="quiet-button" type="submit">
        Sign out
      </button>
    </form>
  );
}

/** The hidden field with the CSRF token. */
export function CsrfField({ frame }: { frame: Frame }) {
  return <input type="hidden" name={CSRF_FIELD} value={frame.csrfToken} />;
}

const SETTINGS = [
  { path: '/settings/api-tokens', name: 'API tokens' },
  { path: '/settings/password', name: 'Password' },
  { path: '/settings/sessions', name: 'Sessions' },
] as const;

/** A page of the user's settings. */
export function SettingsPage({
  frame,
  title,
  prefix,
  current,
  children,
}: FramedPageProps & { current: (typeof SETTINGS)[number]['path'] }) {
  return (
    <FramedPage frame={frame} title={title} section="settings" prefix={prefix}>
      <nav class="tabs" aria-label="Your settings">
        {SETTINGS.map(({ path, name }) => (
          <a key={path} href={`${frame.base}${path}`} aria-current={path === current ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <main class="settings">
        <h1>{title}</h1>
        {children}
      </main>
    </FramedPage>
  );
}
