import type { CreateExperiment } from '../experiments/experiment.dto';
import type { ExperimentStatus } from '../experiments/experiment-status';
import type { CreateVariation } from '../experiments/variations/variation.record';

/*
 * The demo experiments, one in each status. Audiences, pages and goals are referenced by name. The snippet runs before
 * the page is parsed, so code waits for its elements.
 */

type Elsewhere = 'example_url' | 'variations' | 'audiences' | 'pages' | 'goals' | 'environments';

export interface DemoExperiment {
  fields: Omit<CreateExperiment, Elsewhere>;
  /** A shop page on which the experiment runs, relative to the shop's home page. */
  examplePath: string;
  variations: readonly CreateVariation[];
  audiences: readonly string[];
  pages: readonly string[];
  goals: readonly string[];
  /** The status changes of the experiment, starting from a draft. */
  history: readonly ExperimentStatus[];
}

/** The experiment that is running in the shop. */
export const SHOWN_EXPERIMENT = 'Green buy button';

/** Code that changes an element's text, and code that restores it. */
const changeText = (selector: string, text: string): string =>
  `gosset.getTools().waitForElement('${selector}').then((element) => {
  element.dataset.before ??= element.textContent;
  element.textContent = '${text}';
});`;
const restoreText = (selector: string): string =>
  `const element = document.querySelector('${selector}');
if (element?.dataset.before !== undefined) {
  element.textContent = element.dataset.before;
}`;

const productPage: DemoExperiment = {
  fields: {
    name: SHOWN_EXPERIMENT,
    description: 'Does a button in the colour of "go" sell more than the grey one?',
    tags: ['product page', 'colour'],
    reset_js: restoreText('.product .add-to-cart'),
  },
  examplePath: '/products/tea-pot',
  variations: [
    { name: 'Grey button' },
    { name: 'Green button', css: '.product .add-to-cart { background: #1a7f37; color: #fff; }' },
    {
      name: 'Green button with a promise',
      css: '.product .add-to-cart { background: #1a7f37; color: #fff; }',
      js: changeText('.product .add-to-cart', 'Buy now, arrives tomorrow'),
    },
  ],
  audiences: [],
  pages: ['Product pages'],
  goals: ['Added to cart', 'Checkout viewed', 'Order placed'],
  history: ['running'],
};

const checkout: DemoExperiment = {
  fields: {
    name: 'Checkout on one page',
    description:
      'Address, delivery and payment on one page instead of three steps. Waits for the new payment form.',
    tags: ['checkout'],
    js: "document.documentElement.dataset.experiment = 'checkout';",
    reset_js: 'delete document.documentElement.dataset.experiment;',
  },
  examplePath: '/checkout?item=tea-pot',
  variations: [
    { name: 'Three steps', traffic_allocation: 50 },
    {
      name: 'One page',
      traffic_allocation: 50,
      css: '.checkout .step { display: grid; }\n.checkout .next-step { display: none; }',
    },
  ],
  audiences: ['Mobile visitors'],
  pages: ['Checkout'],
  goals: ['Order placed'],
  history: ['running', 'pause'],
};

const campaign: DemoExperiment = {
  fields: {
    name: 'Spring headline',
    description: "A headline that echoes the campaign's wording.",
    tags: ['home', 'campaign'],
    traffic_allocation: 80,
    audiences_match_type: 'all',
    reset_js: restoreText('h1'),
  },
  examplePath: '/?utm_campaign=spring-sale',
  variations: [
    { name: 'Everyday headline' },
    {
      name: 'Spring headline',
      js: changeText('h1', 'Spring is here: tea for the garden'),
    },
  ],
  audiences: ['Spring campaign', 'Returning visitors'],
  pages: ['Home'],
  goals: ['Checkout viewed', 'Newsletter subscribed'],
  history: ['preview'],
};

const newsletter: DemoExperiment = {
  fields: {
    name: 'Newsletter in the footer',
    description: 'An idea for later: put the form where the reader’s eye ends up.',
    tags: ['home', 'idea'],
    css: '.newsletter { padding: 1rem; }',
  },
  examplePath: '/',
  variations: [
    { name: 'Form in the sidebar' },
    {
      name: 'Form in the footer',
      js: `const { waitForElement } = gosset.getTools();
Promise.all(['footer', '.newsletter'].map((selector) => waitForElement(selector))).then(([footer, form]) => {
  footer.append(form);
});`,
    },
  ],
  audiences: [],
  pages: ['Home', 'Product pages'],
  goals: ['Newsletter subscribed'],
  history: [],
};

const delivery: DemoExperiment = {
  fields: {
    name: 'Free delivery banner',
    description: 'Finished: the banner is now part of the shop.',
    tags: ['home', 'delivery'],
  },
  examplePath: '/',
  variations: [{ name: 'No banner', css: '.delivery-banner { display: none; }' }, { name: 'Banner' }],
  audiences: ['Returning visitors'],
  pages: ['Home'],
  goals: ['Order placed', 'Added to cart'],
  history: ['running', 'pause', 'archive'],
};

export const EXPERIMENTS: readonly DemoExperiment[] = [productPage, checkout, campaign, newsletter, delivery];
