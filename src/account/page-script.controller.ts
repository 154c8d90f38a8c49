import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../platform/access/route-access';

/** Reads a file from the `assets` folder next to this file, which exists both in `src` and in `dist`. */
const asset = (name: string): Buffer => readFileSync(join(__dirname, 'assets', name));

const SCRIPT = asset('pages.js').toString();
const ICON = asset('favicon.svg').toString();
const PREVIEW = asset('preview.png');

/** The pages' optional script, their icon, and the preview image for links in chat tools. */
@Public()
@ApiExcludeController()
@Controller('assets')
export class PageScriptController {
  @Get('pages.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Header('cache-control', 'public, max-age=300')
  script(): string {
    return SCRIPT;
  }

  @Get('favicon.svg')
  @Header('content-type', 'image/svg+xml')
  @Header('cache-control', 'public, max-age=604800')
  icon(): string {
    return ICON;
  }

  @Get('preview.png')
  @Header('content-type', 'image/png')
  @Header('cache-control', 'public, max-age=604800')
  preview(): Buffer {
    return PREVIEW;
  }
}
