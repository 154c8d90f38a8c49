/*
 * A plugin for Swagger UI. It adds a header with a link to the home page, one filter for all operations, and request
 * samples, and it collapses error responses. The server inserts this function into the page's script.
 */
function gossetPlugin({ React }) {
  const h = React.createElement;
  let language = 'curl';

  /**
   * Accessible names of controls that have no name, or one that does not contain their text. Null = the parameter's
   * name.
   */
  const NAMES = {
    '#servers': 'Server',
    '.examples-select-element': 'Example',
    '.close-modal': 'Close',
    '.auth-btn-wrapper .authorize': 'Authorize with this value',
    '[data-param-name] select': null,
    '.body-param__text': 'Request body',
  };

  preparePage();

  function preparePage() {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
    dark.addEventListener('change', follow);
    follow();
    new MutationObserver(improve).observe(document.body, { childList: true, subtree: true });
  }

  /** Gives controls names for screen readers, and moves the focus to the field for the API token. */
  function improve() {
    for (const [selector, name] of Object.entries(NAMES)) {
      for (const control of document.querySelectorAll(`${selector}:not([data-named])`)) {
        control.dataset.named = '';
        control.setAttribute('aria-label', name ?? control.closest('[data-param-name]').dataset.paramName);
      }
    }
    for (const code of document.querySelectorAll('pre.microlight:not([tabindex])')) {
      code.tabIndex = 0;
    }
    for (const field of document.querySelectorAll('#auth-bearer-value:not([data-focused])')) {
      field.dataset.focused = '';
      field.focus();
    }
  }

  function Topbar() {
    // The page is at `/docs`, `/docs/` or `/docs/index.html`, possibly below another path.
    const home = location.pathname.replace(/docs(\/[^/]*)?$/, '');
    const documentAt = (type) => h('a', { href: `${home}docs/openapi.${type}` }, type.toUpperCase());
    return h(
      'nav',
      { className: 'gosset-bar', 'aria-label': 'Gosset' },
      h('a', { className: 'gosset-home', href: home }, 'Gosset'),
      h('span', { className: 'gosset-documents' }, 'OpenAPI: ', documentAt('json'), ' ', documentAt('yaml')),
    );
  }

  function FilterContainer({ layoutSelectors, layoutActions }) {
    const phrase = layoutSelectors.currentFilter();
    return h(
      'search',
      { className: 'wrapper gosset-filter' },
      h('label', { htmlFor: 'gosset-filter' }, 'Filter operations'),
      h('input', {
        id: 'gosset-filter',
        type: 'search',
        placeholder: 'Path, method, name or tag',
        value: typeof phrase === 'string' && phrase !== 'true' ? phrase : '',
        onChange: ({ target }) => layoutActions.updateFilter(target.value),
      }),
    );
  }

  function opsFilter(tags, phrase) {
    const words = phrase.toLowerCase().split(/\s+/);
    const isMeant = (text) => words.every((word) => text.toLowerCase().includes(word));
    const textOf = (entry) =>
      ['path', 'method', 'id'].map((key) => entry.get(key)).join(' ') +
      ` ${entry.getIn(['operation', 'summary'])} ${entry.getIn(['operation', 'operationId'])}`;
    return tags
      .map((tag, name) =>
        tag.set(
          'operations',
          tag.get('operations').filter((entry) => isMeant(`${name} ${textOf(entry)}`)),
        ),
      )
      .filter((tag) => tag.get('operations').size > 0);
  }

  /**
   * Renders all operations. From 150 tags and operations on, Swagger UI renders only the visible ones, so links to the
   * others break.
   */
  function operations(props) {
    const { specSelectors, getComponent } = props;
    const Tag = getComponent('OperationTag');
    const Operation = getComponent('OperationContainer', true);
    const methods = specSelectors.validOperationMethods();
    const operationsOf = (tagObj, tag) =>
      tagObj
        .get('operations')
        .filter((op) => methods.includes(op.get('method')))
        .map((op) => {
          const [path, method, specPath] = ['path', 'method', 'specPath'].map((key) => op.get(key));
          return h(Operation, { key: `${path}-${method}`, op, path, method, specPath, tag });
        })
        .toArray();
    const tags = specSelectors.taggedOperations();
    return h(
      'div',
      null,
      tags.size === 0 && h('p', { role: 'status' }, 'No operation matches the filter.'),
      tags
        .map((tagObj, tag) =>
          h(
            Tag,
            { ...props, key: `operation-${tag}`, tagObj, tag, specUrl: specSelectors.url() },
            h('div', { className: 'operation-tag-content' }, operationsOf(tagObj, tag)),
          ),
        )
        .valueSeq()
        .toArray(),
    );
  }

  /** The path segments of a reference within the document. */
  const stepsOf = (reference) =>
    reference
      .slice('#/'.length)
      .split('/')
      .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));

  const at = (document, steps) => steps.reduce((part, step) => part?.[step], document);

  /** Copies parts of the document and resolves their references. Recursive references are kept. */
  function copierOf(document, address) {
    const copyOf = (part, within) =>
      Object.fromEntries(Object.entries(part).map(([key, value]) => [key, copy(value, within)]));
    const copy = (part, within = []) => {
      if (Array.isArray(part)) {
        return part.map((item) => copy(item, within));
      }
      if (part === null || typeof part !== 'object') {
        return part;
      }
      const { $ref: reference, allOf, ...rest } = part;
      if (typeof reference === 'string' && !within.includes(reference)) {
        const meant = copy(at(document, stepsOf(reference)), [...within, reference]);
        // The page shows the last segment of this reference as the name.
        return { ...meant, ...copyOf(rest, within), $$ref: address + reference };
      }
      if (Array.isArray(allOf) && allOf.length === 1) {
        const { $$ref: _, ...meant } = copy(allOf[0], within);
        return { ...meant, ...copyOf(rest, within) };
      }
      return copyOf(part, within);
    };
    return copy;
  }

  /**
   * An operation or another part of the document with its references resolved. The library's own function converts the
   * whole document to another tree each time, which takes a second.
   */
  async function resolveSubtree(document, path, { baseDoc = '' } = {}) {
    const copy = copierOf(document, baseDoc);
    const spec = copy(at(document, path));
    const [first, route, method] = path;
    if (first === 'paths' && method !== undefined) {
      const own = spec.parameters ?? [];
      const isOwn = ({ in: place, name }) => own.some((one) => one.in === place && one.name === name);
      const ofRoute = copy(document.paths[route].parameters ?? []).filter((parameter) => !isOwn(parameter));
      spec.parameters = [...own, ...ofRoute];
    }
    return { spec, errors: [] };
  }

  function CopyButton({ source }) {
    const [said, say] = React.useState('Copy');
    const copy = async () => {
      // Browsers only provide the clipboard on https and localhost.
      const copied = navigator.clipboard?.writeText(source) ?? Promise.reject(new Error('No clipboard'));
      say(
        await copied.then(
          () => 'Copied',
          () => 'Not copied',
        ),
      );
    };
    return h(
      'button',
      { type: 'button', className: 'gosset-copy', onClick: copy, 'aria-live': 'polite' },
      said,
    );
  }

  function Samples({ samples }) {
    const [label, choose] = React.useState(language);
    const shown = samples.find((sample) => sample.label === label) ?? samples[0];
    const button = ({ label: name }) =>
      h(
        'button',
        {
          key: name,
          type: 'button',
          'aria-pressed': name === shown.label,
          onClick: () => {
            language = name;
            choose(name);
          },
        },
        name,
      );
    return h(
      'section',
      { className: 'gosset-samples', 'aria-label': 'Request samples' },
      h(
        'div',
        { className: 'opblock-section-header' },
        h('h4', { className: 'opblock-title' }, 'Request samples'),
        h(
          'div',
          { className: 'gosset-languages' },
          samples.map(button),
          h(CopyButton, { key: shown.label, source: shown.source }),
        ),
      ),
      h(
        'pre',
        { className: 'gosset-sample', tabIndex: 0, 'aria-label': `Sample in ${shown.label}` },
        h('code', null, shown.source),
      ),
    );
  }

  /** Renders only the text, because a link inside the button that opens an operation cannot be reached by keyboard. */
  const DeepLink = ({ text }) => h('span', null, text);

  /** Wraps a component in a landmark for screen readers. */
  const inSection = (label) => (Original) =>
    function Section(props) {
      return h('section', { 'aria-label': label }, h(Original, props));
    };

  /** Shows the samples before the responses. */
  const withSamples = (Original) =>
    function Responses(props) {
      const { path, method, specSelectors } = props;
      const samples = specSelectors.specJson().getIn(['paths', path, method, 'x-codeSamples']);
      return h(
        React.Fragment,
        null,
        samples === undefined ? null : h(Samples, { samples: samples.toJS() }),
        h(Original, props),
      );
    };

  /** Error responses only show their description until they are opened. */
  const folded = (Original) =>
    function Response(props) {
      const [isOpen, open] = React.useState(false);
      const code = String(props.code);
      if (!/^[45]/.test(code)) {
        return h(Original, props);
      }
      const line = h(
        'tr',
        { className: 'gosset-error' },
        h('td', { className: 'response-col_status' }, code),
        h(
          'td',
          { className: 'response-col_description', colSpan: 2 },
          h(
            'button',
            { type: 'button', 'aria-expanded': isOpen, onClick: () => open(!isOpen) },
            String(props.response.get('description')).replaceAll('`', ''),
          ),
        ),
      );
      return h(React.Fragment, null, line, isOpen ? h(Original, props) : null);
    };

  return {
    components: { Topbar, FilterContainer, DeepLink, operations },
    fn: { opsFilter, resolveSubtree },
    wrapComponents: {
      InfoContainer: inSection('Introduction'),
      ServersContainer: inSection('Servers'),
      AuthorizeBtnContainer: inSection('Authorization'),
      responses: withSamples,
      response: folded,
    },
  };
}
