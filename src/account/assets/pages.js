'use strict';

/* Copy buttons and confirmation dialogs. The pages do without this script. */

/** The clipboard of browsers is there on https and localhost only; elsewhere the selected text is copied. */
async function copyFrom(source) {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    return true;
  }
  select(source);
  return document.execCommand('copy');
}

/** Selects what is in a field, or the text of any other element. */
function select(source) {
  if ('value' in source) {
    source.select();
  } else {
    getSelection().selectAllChildren(source);
  }
}

for (const button of document.querySelectorAll('[data-copies]')) {
  const source = document.getElementById(button.dataset.copies);
  const said = document.getElementById(button.dataset.says);
  button.hidden = false;
  button.addEventListener('click', async () => {
    const isCopied = await copyFrom(source).catch(() => false);
    if (!isCopied) {
      select(source);
    }
    said.textContent = isCopied
      ? 'Copied.'
      : 'Your browser does not copy. The text is selected; copy it yourself.';
  });
}

for (const link of document.querySelectorAll('[data-dialog]')) {
  const dialog = document.getElementById(link.dataset.dialog);
  link.addEventListener('click', (event) => {
    event.preventDefault();
    dialog.querySelector('form').action = link.href;
    dialog.querySelector('[data-name]').textContent = link.dataset.name;
    dialog.showModal();
  });
}

for (const button of document.querySelectorAll('dialog [data-closes]')) {
  button.hidden = false;
  button.addEventListener('click', () => button.closest('dialog').close());
}

// Loading the page again that shows a new token must not make another one.
if (document.querySelector('[data-shown-once]') !== null) {
  history.replaceState(null, '', location.href);
}
