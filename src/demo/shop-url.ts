import type { Config } from '../config/config';
import { SHOP_ALIAS } from './demo-items';

/** The shop's URL without a trailing slash; a redirect URL if only the running server knows its port. */
export const shopUrl = ({ demoUrl, publicUrl }: Config): string => demoUrl ?? `${publicUrl}${SHOP_ALIAS}`;
