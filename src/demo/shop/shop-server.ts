import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Fastify, { FastifyInstance, FastifyRequest } from 'fastify';
import { NotFoundError } from '../../common/errors/api-errors';
import { refusing } from '../../common/errors/error.filter';
import { addRoute, type RawHandler } from '../../common/http/raw-routes';
import { requireOneHost, securityHeaders } from '../../common/http/headers';
import { RouteTable } from '../../common/http/route-table';
import { serverOptions } from '../../common/http/server-options';
import type { Config } from '../../config/config';
import { prefersPage } from '../../presentation/media-types';
import { NOT_INDEXED } from '../../presentation/page-answer';
import { renderCheckoutPage, renderHomePage, renderNotFoundPage, renderProductPage } from './shop-pages';
import { findProduct } from './products';
import type { Shop, ShopStore } from './shop.store';

/** Reads a file from the `assets` folder next to this one, which exists both in `src` and in `dist`. */
const read = (name: string): string => readFileSync(join(__dirname, 'assets', name), 'utf8');

/** The files that shop pages load, apart from the snippet. */
const SHOP_FILES = [
  { path: '/shop.css', type: 'text/css; charset=utf-8', text: read('shop.css') },
  { path: '/shop.js', type: 'text/javascript; charset=utf-8', text: read('shop.js') },
] as const;

/**
 * The content security policy of the shop. The policy is as strict as the snippet allows: it forbids inline scripts and
 * styles and requires trusted types. The snippet and its requests use the server's origin.
 */
function shopPolicy(publicUrl: string): string {
  const { origin } = new URL(publicUrl);
  return [
    "default-src 'none'",
    `script-src 'self' ${origin}`,
    `connect-src ${origin}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "require-trusted-types-for 'script'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * The demo shop, a site with the snippet of its project. The shop has no sessions and a separate origin, because its
 * pages run code written by the project's editors. Without demo data, every path returns 404.
 */
export function createShopServer(reader: ShopStore, config: Config): FastifyInstance {
  const server = Fastify({ ...serverOptions(config), forceCloseConnections: true });
  server.removeAllContentTypeParsers();
  server.setErrorHandler(refusing('Demo shop'));
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...securityHeaders(config.publicUrl, request.url), 'x-request-id': request.id });
  });
  const routes = new RouteTable();
  routes.watch(server);
  routes.requireDecisions(server);
  requireOneHost(server);
  const headers = {
    ...NOT_INDEXED,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': shopPolicy(config.publicUrl),
  };
  server.setNotFoundHandler(async (request, reply) => {
    const shop = await shopOf(reader);
    reply.header('vary', 'Accept');
    if (!prefersPage(request.headers.accept)) {
      throw new NotFoundError();
    }
    return reply.code(404).headers(headers).send(renderNotFoundPage(shop));
  });
  addPages(server, reader, headers);
  addFiles(server, reader);
  return server;
}

async function shopOf(reader: ShopStore): Promise<Shop> {
  const shop = await reader.find();
  if (shop === null) {
    throw new NotFoundError();
  }
  return shop;
}

const addPublic = (server: FastifyInstance, path: string, handler: RawHandler): void =>
  addRoute(server, { method: 'GET', path, access: 'public', handler });

type Render = (shop: Shop, request: FastifyRequest) => string | null;

function addPages(server: FastifyInstance, reader: ShopStore, headers: Record<string, string>): void {
  const show = (path: string, render: Render): void => {
    addPublic(server, path, async (request, reply) => {
      const page = render(await shopOf(reader), request);
      if (page === null) {
        reply.callNotFound();
        return reply;
      }
      return reply.headers(headers).send(page);
    });
  };
  show('/', renderHomePage);
  show('/checkout', (shop, { query }) => {
    const { item, bought } = query as Record<string, unknown>;
    return renderCheckoutPage(shop, findProduct(item), bought !== undefined);
  });
  show('/products/:slug', (shop, { params }) => {
    const product = findProduct((params as Record<string, unknown>).slug);
    return product === undefined ? null : renderProductPage(shop, product);
  });
}

function addFiles(server: FastifyInstance, reader: ShopStore): void {
  for (const { path, type, text } of SHOP_FILES) {
    addPublic(server, path, async (_request, reply) => {
      await shopOf(reader);
      return reply.headers({ 'content-type': type }).send(text);
    });
  }
}
