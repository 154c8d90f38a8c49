import { MAX_COMPARED } from '../../common/limits';
import type { AddressPatterns } from './config';

/** Whether a normalized URL (the `href` of a `URL` object) belongs to a page. */
export type AddressTest = (address: string) => boolean;

const compile = (sources: string[]): RegExp[] => sources.map((source) => new RegExp(source));

/** @throws SyntaxError if this browser does not support one of the patterns */
export function addressTest({ wanted, unwanted }: AddressPatterns): AddressTest {
  const [accepted, refused] = [compile(wanted), compile(unwanted)];
  const isWithoutConditions = accepted.length === 0 && refused.length === 0;
  return (whole) => {
    const address = whole.slice(0, MAX_COMPARED);
    const isAccepted = isWithoutConditions || accepted.some((pattern) => pattern.test(address));
    return isAccepted && !refused.some((pattern) => pattern.test(address));
  };
}
