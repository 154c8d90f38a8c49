/** esbuild's helper that gives CommonJS modules the exports of an ES module, with or without line breaks. */
const HELPER =
  /(?<=\b__toCommonJS=)mod=>__copyProps\(__defProp\(\{\},\s*"__esModule",\{value:!0\}\),\s*mod\)/;

const ONE_COPY = `(copies=>mod=>{let copy=copies.get(mod);copy||copies.set(mod,copy=__defProp({},"__esModule",{value:!0}));return __copyProps(copy,mod)})(new WeakMap)`;

/**
 * Lets all CommonJS modules in a bundle share one copy of an ES module's exports, as in Node. esbuild makes a copy for
 * each `require`, which results in several hundred copies of all exports for Nest's packages. In an import cycle,
 * the shared copy also gets exports that are added later.
 * @throws Error if the bundle does not contain the helper, for instance after esbuild is updated
 */
export function withSharedNamespaces(text) {
  if (!HELPER.test(text)) {
    throw new Error(
      'The helper __toCommonJS of esbuild has another form; adapt scripts/shared-namespaces.mjs.',
    );
  }
  return text.replace(HELPER, ONE_COPY);
}
