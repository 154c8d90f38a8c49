import { describeInBrowser, misfits } from '../support/browser';
import { useBrowser } from '../support/browser-scene';

/* An experiment's code page in a real browser, with lines that are hard to display. */

const NAME = 'شراء \u202e الآن';
const SCRIPT = [
  '/* The button of the cart',
  '   is green. */',
  "const button = document.querySelector('.cart button');",
  '',
  `const text = '${NAME}'; let price = 12.5; // ${NAME}`,
  `const long = "${'Extraordinarily'.repeat(40)}";`,
  'if (button) {\n\tbutton.textContent = `${text} 🛒 ${price}`;\n}',
].join('\n');

describeInBrowser('the code page', () => {
  const scene = useBrowser();
  let path: string;

  beforeAll(async () => {
    const variations = [{ name: 'Original' }, { name: NAME }];
    const css = `.cart button { color: green; }\n\n.${'long'.repeat(50)} { color: red; }`;
    const fields = { name: NAME, js: SCRIPT, reset_js: 'undo();', css, variations };
    path = `${(await scene.make.experiment(fields)).path}/code`;
  });

  it('fits the window and is accessible', async () => {
    const visit = await scene.visitAsAdmin(path, { bypassCSP: true });
    await scene.expectFits(visit);
    expect(await misfits(visit.page)).toEqual([]);
  });

  it('preserves the lines of the code, and complies with its CSP', async () => {
    const { page, complaints } = await scene.visitAsAdmin(path);
    expect(await page.locator('.listing').first().locator('pre').innerText()).toContain("button');\n\nconst");
    expect(complaints).toEqual([]);
  });
});
