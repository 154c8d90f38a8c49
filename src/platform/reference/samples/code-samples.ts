import type { OpenAPIObject } from '@nestjs/swagger';
import { curlSample } from './curl';
import { pythonSample } from './python';
import { METHODS, type Operation, sampleRequest, type SampleRequest } from './sample-request';
import { typescriptSample } from './typescript';

/** A sample in the format of `x-codeSamples`. */
export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

const LANGUAGES: { lang: string; label: string; write: (request: SampleRequest) => string | null }[] = [
  { lang: 'Shell', label: 'curl', write: curlSample },
  { lang: 'TypeScript', label: 'TypeScript', write: typescriptSample },
  { lang: 'Python', label: 'Python', write: pythonSample },
];

/** Samples for a request, in each language that can express the request. */
const codeSamples = (request: SampleRequest): CodeSample[] =>
  LANGUAGES.flatMap(({ lang, label, write }) => {
    const source = write(request);
    return source === null ? [] : [{ lang, label, source }];
  });

/** Adds samples, built from each operation's examples, to all operations in a document. */
export function addCodeSamples(document: OpenAPIObject, server: string): void {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation: (Operation & { 'x-codeSamples'?: CodeSample[] }) | undefined = item[method];
      if (operation !== undefined) {
        operation['x-codeSamples'] = codeSamples(sampleRequest(server, path, method, item, operation));
      }
    }
  }
}
