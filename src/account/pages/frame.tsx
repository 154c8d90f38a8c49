import type { ComponentChildren } from 'preact';
import { Layout } from '../../presentation/layout';
import type { PageReferrer } from '../../presentation/page-answer';
import { CSRF_FIELD } from '../csrf';

/** How users sign in. */
export interface SignInMethods {
  hasPasswords: boolean;
  /** Name of the OpenID Connect provider, if any. */
  provider: string | null;
}

/** The data that every page needs. */
export interface Frame {
  /** Prefix of all page paths, if the server is published under a path. */
  base: string;
  /** The public URL of the server, without a slash at the end. */
  publicUrl: string;
  /** The e-mail address of the signed-in user; null if there is none. */
  email: string | null;
  /** The CSRF token for the page's forms. */
  csrfToken: string;
  /** How users sign in. */
  signIn: SignInMethods;
  /** The nonce of the page's script in its content security policy. */
  nonce: string;
}

/** The navigation items in the header. */
const SECTIONS = [
  { key: 'experiments', path: '/', name: 'Experiments' },
  { key: 'search', path: '/experiments', name: 'Search' },
  { key: 'settings', path: '/settings/api-tokens', name: 'Settings' },
  { key: 'reference', path: '/docs', name: 'API' },
] as const;

export type Section = (typeof SECTIONS)[number]['key'];

interface FramedPageProps {
  frame: Frame;
  title: string;
  /** The current navigation item. */
  section?: Section | undefined;
  /** Prefix of the title if the submitted form had errors: `Error: `. */
  prefix?: string | undefined;
  /** The Referrer-Policy. */
  referrer?: PageReferrer | undefined;
  children: ComponentChildren;
}

/** The content of a page, which is the target of its skip link. */
export function Content({ class: name, children }: { class: string; children: ComponentChildren }) {
  return (
    <main class={name} id="content" tabindex={-1}>
      {children}
    </main>
  );
}

/** A page with the common header. The children must include `Content`. */
export function FramedPage({
  frame,
  title,
  section,
  prefix = '',
  referrer = 'same-origin',
  children,
}: FramedPageProps) {
  const script = { address: `${frame.base}/assets/pages.js`, nonce: frame.nonce };
  return (
    <Layout title={`${prefix}${title} – Gosset`} referrer={referrer} base={frame.base} script={script}>
      <a class="skip-link" href="#content">
        Skip to content
      </a>
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
export function CsrfField({ frame }: { frame: Pick<Frame, 'csrfToken'> }) {
  return <input type="hidden" name={CSRF_FIELD} value={frame.csrfToken} />;
}

const PASSWORD_PATH = '/settings/password';

const SETTINGS = [
  { path: '/settings/api-tokens', name: 'API tokens' },
  { path: PASSWORD_PATH, name: 'Password' },
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
        {SETTINGS.filter(({ path }) => frame.signIn.hasPasswords || path !== PASSWORD_PATH).map(
          ({ path, name }) => (
            <a key={path} href={`${frame.base}${path}`} aria-current={path === current ? 'page' : undefined}>
              {name}
            </a>
          ),
        )}
      </nav>
      <Content class="settings">
        <h1>{title}</h1>
        {children}
      </Content>
    </FramedPage>
  );
}
