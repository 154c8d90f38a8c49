import { parseHTML } from 'linkedom';
import type { Person, TestApi, World } from './api';
import { startLive } from './live-server';
import { Maker, Scene } from './scene';
import { type PageAnswer, signedIn, Visitor, withPassword } from './visitor';

/** A listening server with a team whose members use the console. */
export class ConsoleScene {
  private readonly visitors = new Map<Person, Visitor>();

  api: TestApi;
  world: World;
  /** Creates records in the team's first project. */
  make: Maker;

  async start(): Promise<void> {
    this.api = await startLive({ TRUST_PROXY: '127.0.0.1' });
    this.world = await this.api.world();
    this.make = new Maker(this.client, this.world.project);
  }

  get client(): Person['client'] {
    return this.world.people.admin.client;
  }

  /** The part of a scene that `fillDays` needs. */
  get scene(): Scene {
    return { api: this.api } as Scene;
  }

  /** The signed-in browser of a user. Calls share it, because setting a new password would end existing sessions. */
  async visitorOf(person: Person): Promise<Visitor> {
    const known = this.visitors.get(person);
    const visitor = known ?? (await signedIn(this.api, await withPassword(this.api, person))).visitor;
    this.visitors.set(person, visitor);
    return visitor;
  }

  /** The browser of the team's admin. */
  admin(): Promise<Visitor> {
    return this.visitorOf(this.world.people.admin);
  }

  /** Another project of the team. */
  async project(name: string): Promise<Maker> {
    return new Maker(this.client, `/projects/${await this.api.project(this.world.teamId, name)}`);
  }
}

/** Starts the server before the tests of a file, and stops it afterwards. */
export function useConsole(): ConsoleScene {
  const stage = new ConsoleScene();
  beforeAll(() => stage.start());
  afterAll(() => stage.api.close());
  return stage;
}

/** Reads a page that must exist. */
export async function documentOf(visitor: Visitor, path: string): Promise<Document> {
  const { status, text } = await visitor.get(path);
  expect([path, status]).toEqual([path, 200]);
  return parseHTML(text).document;
}

export const textOf = (element: Element | null): string =>
  (element?.textContent ?? '').replace(/\s+/g, ' ').trim();

export const textsOf = (document: Document, selector: string): string[] =>
  [...document.querySelectorAll(selector)].map(textOf);

/** The cell text in each body row of the page's tables. */
export const rowsOf = (document: Document): string[][] =>
  [...document.querySelectorAll('tbody tr')].map((row) => [...row.children].map(textOf));

/** The curl commands of the next steps. */
export const commandsOf = (document: Document): string[] =>
  [...document.querySelectorAll('.step pre code, #create')].map(({ textContent }) => textContent ?? '');

/** Changed values of form fields. A field set to undefined is omitted, like a cleared checkbox. */
type ChangedFields = Record<string, string | undefined>;

/** Submits a form as a browser does, with changed values for some fields. */
export function submitForm(
  visitor: Visitor,
  form: Element | null,
  fields: ChangedFields = {},
): Promise<PageAnswer> {
  const inputs = [...(form?.querySelectorAll('input, textarea, select') ?? [])].filter(
    (input) =>
      !['radio', 'checkbox'].includes(input.getAttribute('type') ?? '') || input.hasAttribute('checked'),
  );
  const filled = inputs.map((input) => [input.getAttribute('name') ?? '', valueOf(input)]);
  const sent = Object.entries({ ...Object.fromEntries(filled), ...fields } as ChangedFields).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  return visitor.post(form?.getAttribute('action') ?? '', Object.fromEntries(sent));
}

/** A select without a selected option submits its first option. */
function valueOf(input: Element): string {
  const field = input.matches('select')
    ? (input.querySelector('option[selected]') ?? input.querySelector('option'))
    : input;
  return field?.getAttribute('value') ?? field?.textContent ?? '';
}

/** Opens the page of a form, and submits the form. */
export async function submitPage(
  visitor: Visitor,
  address: string,
  fields: ChangedFields = {},
): Promise<PageAnswer> {
  const document = await documentOf(visitor, address);
  return submitForm(visitor, document.querySelector('main form'), fields);
}

/** Presses the button of a step, and the button of the confirmation page if there is one. @returns the response */
export async function pressStep(visitor: Visitor, step: Element): Promise<PageAnswer> {
  const asking = step.querySelector('a.button')?.getAttribute('href');
  return asking ? submitPage(visitor, asking) : submitForm(visitor, step.querySelector('form'));
}
