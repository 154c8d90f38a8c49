import { LISTING, readPage } from '../listing';
import type { Reference, Shape } from '../reference';
import type { Fields } from '../schemas';
import type { ToolResource } from '../tool-source';
import { defineTool, Tool, ToolSpec } from '../tool';

/* The tools that every standard resource of a project has. */

/** Fields that tools omit. The project and the times are already known or not useful, and code can be long. */
const NOT_TAKEN = ['project_id', 'created_at', 'updated_at', 'code'];

interface Named {
  name: string;
  id: number;
}

/** The MCP tools for a resource. Tools that change records exist only if the API has such operations. */
export function resourceTools(reference: Reference, resource: ToolResource): readonly Tool[] {
  const define = (spec: ToolSpec): Tool => defineTool(reference, spec);
  const { create, update } = resource;
  const parts = partsOf(reference, resource);
  return [
    define(lister(resource, parts)),
    define(reader(resource, parts)),
    ...(create === undefined ? [] : [define(maker(resource, create, parts))]),
    ...(update === undefined
      ? []
      : [define(changer(resource, reference.operation(update).purpose, update, parts))]),
  ];
}

interface Parts {
  one: Shape<Named>;
  many: Shape<Named[]>;
}

function partsOf(reference: Reference, { record }: ToolResource): Parts {
  const names = Object.keys(reference.record(record).properties ?? {});
  const kept = names.filter((name) => !NOT_TAKEN.includes(name));
  const fields: Fields = Object.fromEntries(kept.map((name) => [name, true]));
  return { one: reference.shape(record, fields), many: reference.shapes(record, fields) };
}

const spaced = (type: string): string => type.replaceAll('_', ' ');

const lister = ({ collection, plural, list }: ToolResource, { many }: Parts): ToolSpec => ({
  name: `list_${collection}`,
  effect: 'reads',
  operation: list,
  ...LISTING,
  run: (args, api) => readPage(api, args, { shape: many, called: plural }),
});

const reader = ({ type, show, update }: ToolResource, { one }: Parts): ToolSpec => ({
  name: `get_${type}`,
  description:
    update === undefined
      ? `Returns one ${spaced(type)} of the project, by id.`
      : `One ${spaced(type)}, with the if_match for update_${type}.`,
  effect: 'reads',
  operation: show,
  run: async (args, api) => {
    const { body, headers } = await api.ask(args);
    const record = one.take(body);
    return {
      text: `The ${spaced(type)} ${JSON.stringify(record.name)}.`,
      data: { [type]: record, if_match: headers.etag ?? '' },
    };
  },
});

const maker = ({ type }: ToolResource, create: string, { one }: Parts): ToolSpec => ({
  name: `create_${type}`,
  effect: 'adds',
  operation: create,
  run: async (args, api) => {
    const made = one.take((await api.ask(args)).body);
    return {
      text: `Created the ${spaced(type)} ${JSON.stringify(made.name)} with id ${made.id}.`,
      data: { made },
    };
  },
});

const changer = ({ type }: ToolResource, purpose: string, update: string, { one }: Parts): ToolSpec => ({
  name: `update_${type}`,
  description: `See create_${type}. ${purpose}`,
  effect: 'changes',
  operation: update,
  ifMatch: 'required',
  explainedElsewhere: true,
  run: async (args, api) => {
    const { body, headers } = await api.ask(args);
    const record = one.take(body);
    return {
      text: `Changed the ${spaced(type)} ${JSON.stringify(record.name)}.`,
      data: { [type]: record, if_match: headers.etag ?? '' },
    };
  },
});
