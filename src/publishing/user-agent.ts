import Bowser from 'bowser';
import { MAX_USER_AGENT } from '../common/limits';

/** Device, browser and operating system for conditions; absent if unknown. */
export interface Agent {
  deviceType?: string;
  browser?: string;
  os?: string;
}

/** Maps names such as `Microsoft Edge` to short names such as `edge`. */
const BROWSERS = new Map(Object.entries(Bowser.BROWSER_MAP).map(([alias, name]) => [name, alias]));

/** Parses a user agent. Browsers and the server use the same code. */
export function agentOf(userAgent: string): Agent {
  const text = userAgent.slice(0, MAX_USER_AGENT);
  if (text === '') {
    return {};
  }
  const { browser, os, platform } = Bowser.parse(text);
  return {
    ...(platform.type === undefined ? {} : { deviceType: platform.type }),
    ...(browser.name === undefined
      ? {}
      : { browser: BROWSERS.get(browser.name) ?? browser.name.toLowerCase() }),
    ...(os.name === undefined ? {} : { os: os.name.toLowerCase() }),
  };
}
