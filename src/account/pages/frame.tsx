import type { ComponentChildren } from 'preact';
import { Layout } from '../../presentation/layout';
import { FORM_TOKEN } from '../form-tokens';

/** What every page for people needs to know. */
export interface Frame {
  /** What the paths of pages begin with, where the server is reached below a path. */
  base: string;
  /** Who is signed in, if anybody. */
  email: string | null;
  /** The token that belongs in every form. */
  formToken: string;
  /** Names the page's script to its policy. */
  nonce: string;
}

/** The parts that the head leads to. */
const SECTIONS = [
  { key: 'experiments', path: '/', name: 'Experiments' },
  { key: 'settings', path: '/settings/api-tokens', name: 'Settings' },
] as const;

type Section = (typeof SECTIONS)[number]['key'];

interface FramedPageProps {
  frame: Frame;
  title: string;
  /** In which part of the pages it is. */
  section?: Section | undefined;
  /** Comes before the title where something went wrong. */
  prefix?: string | undefined;
  children: ComponentChildren;
}

/** A page with the head that all pages for people have. */
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
      <FormToken frame={frame} />
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

/** Shows the server that a form comes from one of its pages. */
export function FormToken({ frame }: { frame: Frame }) {
  return <input type="hidden" name={FORM_TOKEN} value={frame.formToken} />;
}

const SETTINGS = [
  { path: '/settings/api-tokens', name: 'API tokens' },
  { path: '/settings/password', name: 'Password' },
] as const;

/** A page of somebody's own settings. */
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
