import type { CreateExperiment } from '../experiments/experiment.dto';
import type { ExperimentStatus } from '../experiments/experiment-status';
import type { CreateVariation } from '../variations/variation.dto';

/* The experiments of the demo, one in each status. Audiences, pages and goals are given by their names. */

type OwnFields = Omit<CreateExperiment, 'variations' | 'audiences' | 'pages' | 'goals' | 'environments'>;

export interface DemoExperiment {
  fields: OwnFields;
  variations: readonly CreateVariation[];
  audiences: readonly string[];
  pages: readonly string[];
  goals: readonly string[];
  /** The statuses it goes through; a new experiment is a draft. */
  history: readonly ExperimentStatus[];
}

const productPage: DemoExperiment = {
  fields: {
    name: 'Green buy button',
    description: 'Does a button in the colour of "go" sell more than the grey one?',
    example_url: 'https://shop.example/products/tea-pot',
    tags: ['product page', 'colour'],
  },
  variations: [
    { name: 'Grey button' },
    { name: 'Green button', css: '.product .add-to-cart { background: #1a7f37; color: #fff; }' },
    {
      name: 'Green button with a promise',
      css: '.product .add-to-cart { background: #1a7f37; color: #fff; }',
      js: "document.querySelector('.product .add-to-cart').textContent = 'Buy now, with us tomorrow';",
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
    example_url: 'https://shop.example/checkout',
    tags: ['checkout'],
    js: "document.documentElement.dataset.experiment = 'checkout';",
    reset_js: 'delete document.documentElement.dataset.experiment;',
  },
  variations: [
    { name: 'Three steps', traffic_allocation: 50 },
    {
      name: 'One page',
      traffic_allocation: 50,
      js: "document.querySelectorAll('.checkout .step').forEach((step) => step.removeAttribute('hidden'));",
      css: '.checkout .next-step { display: none; }',
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
    description: 'A headline that takes up the words of the campaign.',
    example_url: 'https://shop.example/?utm_campaign=spring-sale',
    tags: ['home', 'campaign'],
    traffic_allocation: 80,
    audiences_match_type: 'all',
  },
  variations: [
    { name: 'Everyday headline' },
    {
      name: 'Spring headline',
      js: "document.querySelector('h1').textContent = 'Spring is here: tea for the garden';",
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
    description: 'An idea for later: the form where the eye ends up.',
    example_url: 'https://shop.example/',
    tags: ['home', 'idea'],
    css: '.newsletter { padding: 1rem; }',
  },
  variations: [
    { name: 'Form in the side bar' },
    {
      name: 'Form in the footer',
      js: "document.querySelector('footer').append(document.querySelector('.newsletter'));",
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
    description: 'Over since the banner has become part of the shop.',
    example_url: 'https://shop.example/',
    tags: ['home', 'delivery'],
  },
  variations: [{ name: 'No banner', css: '.delivery-banner { display: none; }' }, { name: 'Banner' }],
  audiences: ['Returning visitors'],
  pages: ['Home'],
  goals: ['Order placed', 'Added to cart'],
  history: ['running', 'pause', 'archive'],
};

export const EXPERIMENTS: readonly DemoExperiment[] = [productPage, checkout, campaign, newsletter, delivery];
