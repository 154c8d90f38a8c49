import Bowser from 'bowser';
import { MAX_USER_AGENT } from '../common/limits';

/** Device, browser and operating system for conditions; absent if unknown. */
export interface Agent {
  deviceType?: string;
  browser?: string;
  os?: string;
}

/** From names such as `Microsoft Edge` to `edge`. */
const BROWSERS = new Map(Object.entries(Bowser.BROWSER_MAP).map(([alias, name]) => [name, alias]));

/** Reads a user agent, the same way in browsers and on the server. */
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
