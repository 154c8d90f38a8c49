/** The chapters of the reference, in the order in which a new reader needs them. */
export const TAGS: Readonly<Record<string, string>> = {
  Teams: 'Who works together. The way to everything else begins with the list of your teams.',
  Projects: 'A site or product, with its keys and the rules by which results are judged.',
  Experiments: 'Define, start, pause, clone and publish experiments.',
  Variations: 'The versions that visitors of an experiment are shown.',
  Audiences: 'Who may take part.',
  Pages: 'Where experiments take place.',
  Goals: 'What is measured.',
  Environments: 'Production, staging and the like. Read-only here.',
  Results: 'What came of an experiment: statistics, what happened day by day, and how to share it.',
  Delivery: 'What sites load: the script, and the payload for SDKs. Called with the client key of a project.',
  Decisions:
    'What back ends ask: which variation does this visitor see? Called with the client key of a project.',
  Collection: 'Where sites and back ends report what visitors did. Called with the client key of a project.',
  Health: 'For whoever watches over the server.',
};
